"""Headings in italics or capitals, no larger and no bolder than the text."""

from __future__ import annotations

import pytest

from common.processing.pdf.blocks import Block
from common.processing.pdf.faces import face_key, heading_faces, is_short
from common.processing.pdf.headings import Styles, is_heading
from common.processing.pdf.spans import Font
from tests.unit.processing.pdf.made import line, paragraph

ITALIC = Font("Body-Italic", italic=True)
PLAIN = (10.0, "Body", False)


def text() -> Block:
    return paragraph(*["a line of plain text in the size of the body"] * 3)


def test_a_face_of_short_blocks_above_text_is_one_of_headings() -> None:
    blocks = [paragraph("Aims", font=ITALIC), text(), paragraph("Terms", font=ITALIC), text()]
    faces = heading_faces([blocks], PLAIN)
    assert faces == {(10.0, "Body-Italic", False)}
    assert is_heading(paragraph("Scope", font=ITALIC), styles=Styles(body_face="Body", faces=faces))


def test_capitals_count_as_a_face() -> None:
    blocks = [paragraph("AIMS AND TERMS"), text(), paragraph("SCOPE"), text()]
    assert heading_faces([blocks], PLAIN) == {(10.0, "Body", True)}


def test_a_face_that_is_also_used_for_text_is_none_of_headings() -> None:
    quotation = paragraph("It is said that nobody ever reads what stands here.", font=ITALIC)
    blocks = [
        paragraph("Aims", font=ITALIC),
        text(),
        quotation,
        text(),
        paragraph("Terms", font=ITALIC),
        text(),
    ]
    assert not heading_faces([blocks], PLAIN)


def test_one_block_is_chance() -> None:
    assert not heading_faces([[paragraph("Aims", font=ITALIC), text()]], PLAIN)


def test_a_block_of_several_faces_has_none() -> None:
    mixed = Block([line("plain"), line("slanted", font=ITALIC)])
    assert face_key(mixed) is None


@pytest.mark.parametrize("text", ["It ends.", "- an item", "begins small", "x" * 100])
def test_what_does_not_read_as_a_heading(text: str) -> None:
    assert not is_short(paragraph(text, font=ITALIC))


def test_bold_headings_may_be_smaller_than_the_text() -> None:
    small = Font("Sans-Bold", bold=True)
    blocks = [paragraph("Aims", font=small, size=9), text(), paragraph("Terms", font=small, size=9), text()]
    assert heading_faces([blocks], PLAIN) == {(9.0, "Sans-Bold", False)}
    tiny = [paragraph("Aims", font=small, size=7), text(), paragraph("Terms", font=small, size=7), text()]
    assert not heading_faces([tiny], PLAIN)
