"""Authors and dates around a title are no headings."""

from __future__ import annotations

import pytest

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.frontmatter import STAMP, demote_front_matter, front, lasting_styles
from tests.unit.processing.pdf.made import paragraph


def heading(text: str, *, size: float) -> Block:
    block = paragraph(text, size=size)
    block.kind = Kind.HEADING
    return block


def body() -> Block:
    return paragraph(*["a line of plain text in the size of the body"] * 6)


def headings(blocks: list[Block]) -> list[str]:
    return [block.text for block in blocks if block.kind is Kind.HEADING]


def test_authors_and_dates_below_a_title_become_paragraphs() -> None:
    blocks = [
        heading("A Title", size=20),
        heading("Ada Lovelace", size=12),
        heading("March 1843", size=12),
        heading("Abstract", size=11),
        body(),
        heading("Notes", size=14),
        body(),
    ]
    demote_front_matter(blocks, lasting_styles([blocks]))
    assert headings(blocks) == ["A Title", "Abstract", "Notes"]


def test_a_style_that_comes_again_stays_a_heading() -> None:
    first = [heading("A Title", size=20), heading("Overview", size=14), heading("Aims", size=12), body()]
    second = [heading("Results", size=14), body()]
    demote_front_matter(first, lasting_styles([first, second]))
    assert headings(first) == ["A Title", "Overview", "Aims"]


def test_a_heading_right_above_text_stays_one_unless_it_is_a_date() -> None:
    blocks = [heading("A Title", size=20), heading("Summary", size=12), body()]
    demote_front_matter(blocks, frozenset())
    assert headings(blocks) == ["A Title", "Summary"]
    blocks = [heading("A Title", size=20), heading("12 March 2024", size=12), body()]
    demote_front_matter(blocks, frozenset())
    assert headings(blocks) == ["A Title"]


def test_the_front_ends_at_the_first_text_and_at_a_numbered_heading() -> None:
    title, numbered = heading("A Title", size=20), heading("1 Scope", size=14)
    assert front([title, body(), numbered]) == [title]
    assert front([title, numbered, body()]) == [title]


@pytest.mark.parametrize(
    "text",
    ["Version 3.0c", "8. April 2018", "2022/02/03 v1.0f", "ada@example.org", "The Team∗"],
)
def test_stamps(text: str) -> None:
    assert STAMP.fullmatch(text)


@pytest.mark.parametrize("text", ["Introduction", "Versions of the file", "Maintenance in 2024"])
def test_no_stamps(text: str) -> None:
    assert not STAMP.fullmatch(text)
