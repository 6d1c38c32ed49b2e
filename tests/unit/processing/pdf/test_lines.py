"""Words become lines, and pieces of lines where white parts them."""

from __future__ import annotations

import pytest

from common.processing.pdf.lines import Line, joined_lines, split_lines
from common.processing.pdf.spans import Font, Word
from tests.unit.processing.pdf.made import BOLD, MONO, line, words


def texts(lines: list[Line]) -> list[str]:
    return [one.text for one in lines]


def test_white_wider_than_a_blank_parts_a_line() -> None:
    assert texts(split_lines(words("left column   right column"))) == ["left column", "right column"]


def test_a_line_that_pdfium_broke_is_two_lines() -> None:
    assert texts(split_lines(words("one", base=100) + words("two", base=112))) == ["one", "two"]


def test_a_superscript_stays_in_its_line() -> None:
    raised = Word("2", 70, 73, 96, 6, Font(), glued=True)
    assert texts(split_lines([*words("area"), raised])) == ["area2"]


def test_text_from_right_to_left_is_one_line() -> None:
    first, second = Word("שלום", 200, 230, 100, 10, Font()), Word("עולם", 165, 195, 100, 10, Font())
    assert texts(split_lines([first, second])) == ["שלום עולם"]


def test_pieces_of_one_row_are_joined_again() -> None:
    pieces = split_lines(words("name   value"))
    assert texts(joined_lines(pieces)) == ["name value"]


def test_rows_on_other_baselines_are_not_joined() -> None:
    assert texts(joined_lines([line("one", base=100), line("two", base=112)])) == ["one", "two"]


def test_a_line_has_the_style_of_most_of_its_letters() -> None:
    made = Line(words("a", font=BOLD, size=20) + words("much longer text", x=70))
    assert (made.bold, made.size) == (False, 10)


@pytest.mark.parametrize(("width", "mono"), [(20.0, True), (26.0, False)])
def test_fixed_pitch_is_measured_and_not_believed(width: float, mono: bool) -> None:
    assert Line([*words("code", font=MONO), Word("more", 80, 80 + width, 100, 10, MONO)]).mono is mono


def test_a_row_that_pdfium_breaks_where_fonts_change_is_one_line() -> None:
    left = words("the command", base=100)
    code = Word("`", left[-1].x1, left[-1].x1 + 5, 100, 10, MONO, starts_line=True)
    assert texts(split_lines([*left, code])) == ["the command`"]
    code.starts_line, code.glued = True, False
    code.base = 112
    assert texts(split_lines([*left, code])) == ["the command", "`"]
