"""Code is kept as it stands."""

from __future__ import annotations

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.code import code_text, is_code, is_typed, with_joined_code
from tests.unit.processing.pdf.made import MONO, line, paragraph


def code(text: str, base: float) -> Block:
    return Block([line(text, base=base, font=MONO)], Kind.CODE)


def test_code_keeps_its_indent_and_its_blank_lines() -> None:
    rows = [
        line("def f():", font=MONO),
        line("return", x=70, base=112, font=MONO),
        line("f()", base=136, font=MONO),
    ]
    assert code_text(rows) == "def f():\n    return\n\nf()"


def test_pieces_over_a_blank_line_are_one() -> None:
    joined = with_joined_code([code("a", 100), code("b", 124), code("c", 200), paragraph("text", base=212)])
    assert [block.text for block in joined] == ["a b", "c", "text"]


def test_a_paragraph_of_fixed_pitch_is_code() -> None:
    assert is_code(paragraph("x = 1", font=MONO))
    assert not is_code(paragraph("x = 1"))


def test_an_address_alone_is_no_code() -> None:
    assert not is_code(paragraph("https://example.org/a", font=MONO))


def test_a_document_of_fixed_pitch_is_typed() -> None:
    assert is_typed([line("a typed letter", font=MONO), line("Head")])
    assert not is_typed([line("code", font=MONO), line("much more text")])
    assert not is_typed([])
