"""The entries of a table of contents are no headings."""

from __future__ import annotations

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.contents import demote_contents
from tests.unit.processing.pdf.made import BOLD, paragraph


def heading(text: str) -> Block:
    block = paragraph(text, font=BOLD)
    block.kind = Kind.HEADING
    return block


def headings(blocks: list[Block]) -> list[str]:
    return [block.text for block in blocks if block.kind is Kind.HEADING]


def test_a_run_of_entries_with_rising_page_numbers_is_no_run_of_headings() -> None:
    blocks = [
        heading("Contents"),
        heading("1 Scope 3"),
        paragraph("1.1 Aims . . . . 3"),
        heading("2 Terms 7"),
    ]
    demote_contents(blocks)
    assert headings(blocks) == ["Contents"]


def test_two_headings_with_numbers_at_their_end_stay_headings() -> None:
    blocks = [heading("Chapter 1"), heading("Events of 1848"), paragraph("text")]
    demote_contents(blocks)
    assert headings(blocks) == ["Chapter 1", "Events of 1848"]


def test_falling_numbers_are_no_page_numbers() -> None:
    blocks = [heading("Part 9"), heading("Part 4"), heading("Part 2")]
    demote_contents(blocks)
    assert headings(blocks) == ["Part 9", "Part 4", "Part 2"]
