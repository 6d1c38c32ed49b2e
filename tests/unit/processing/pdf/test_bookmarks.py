"""Bookmarks name headings, whatever they look like."""

from __future__ import annotations

from pathlib import Path

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.bookmarks import bare, with_bookmarks
from common.processing.pdf.document import open_document
from tests.unit.processing.pdf.made import paragraph, table
from tests.unit.processing.pdf.writer import Bookmark, Page, write_pdf


def marked(blocks: list[Block], *titles: str) -> list[tuple[str, bool]]:
    return [(block.text, block.kind is Kind.HEADING) for block in with_bookmarks(blocks, titles)]


def test_a_paragraph_with_the_title_of_a_bookmark_is_a_heading() -> None:
    assert marked([paragraph("Results"), paragraph("Text")], "Results") == [
        ("Results", True),
        ("Text", False),
    ]


def test_numbers_blanks_and_case_do_not_matter() -> None:
    assert marked([paragraph("3.1 The RESULTS")], "The  results") == [("3.1 The RESULTS", True)]
    assert bare("2024") == "2024"


def test_a_heading_is_cut_out_of_the_paragraph_it_opens() -> None:
    assert marked([paragraph("Results", "Text goes on")], "Results") == [
        ("Results", True),
        ("Text goes on", False),
    ]


def test_a_heading_in_two_blocks_is_joined() -> None:
    parts = [paragraph("It is real."), paragraph("What now?", base=130), paragraph("Text", base=160)]
    assert marked(parts, "It is real. What now?") == [("It is real. What now?", True), ("Text", False)]


def test_blocks_of_other_sizes_are_not_joined() -> None:
    parts = [paragraph("Part", size=20), paragraph("one", base=130)]
    assert marked(parts, "Part one") == [("Part", False), ("one", False)]


def test_tables_and_unknown_titles_are_left_alone() -> None:
    blocks = [table([["Results", "x"], ["a", "b"]]), paragraph("Text")]
    assert [block.kind for block in with_bookmarks(blocks, ["Results", "Elsewhere", "-"])] == [
        Kind.TABLE,
        Kind.PARAGRAPH,
    ]


def test_bookmarks_are_read_from_the_file_and_hold_for_their_page_alone(tmp_path: Path) -> None:
    text = "Text of the page that says nothing more than this."
    pages = [Page().text(50, 300, "Summary").text(50, 340, text) for _ in range(2)]
    marks = [Bookmark("Chapter", 0), Bookmark("Summary", 1, depth=1)]
    with open_document(write_pdf(tmp_path / "a.pdf", *pages, bookmarks=marks), max_pages=2) as document:
        first, second = document.pages()
    assert first.markdown.startswith("Summary") and second.markdown.startswith("# Summary")
