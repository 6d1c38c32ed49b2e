"""Small whole documents through the front door."""

from __future__ import annotations

from pathlib import Path

from common.processing.pdf.document import fitting_scale, open_document
from tests.unit.processing.pdf.writer import Page, pdf_bytes, write_pdf

PROSE = ("This is the first line of a paragraph of text", "and this is its second line, which ends here.")


def markdown(tmp_path: Path, *pages: Page) -> str:
    path = write_pdf(tmp_path / "a.pdf", *pages)
    with open_document(path, max_pages=100) as document:
        return document.markdown(list(document.pages()))


def test_a_title_a_paragraph_and_a_list(tmp_path: Path) -> None:
    page = Page().text(50, 100, "The title", size=20).lines(50, 140, *PROSE)
    page.text(50, 190, "- one").text(50, 202, "- two")
    assert markdown(tmp_path, page) == (
        "# The title\n\nThis is the first line of a paragraph of text and this is its second line, "
        "which ends here.\n\n- one\n- two\n"
    )


def test_a_ruled_table(tmp_path: Path) -> None:
    page = Page().lines(50, 60, *PROSE).grid([50, 150, 250], [100, 120, 140, 160])
    for row, (left, right) in enumerate([("name", "age"), ("Ada", "36"), ("Alan", "41")]):
        page.text(60, 114 + 20 * row, left).text(160, 114 + 20 * row, right)
    assert "| name | age |\n|---|---|\n| Ada | 36 |\n| Alan | 41 |" in markdown(tmp_path, page)


def test_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    pages = [
        Page().text(50, 30, "The running head").lines(50, 200, *PROSE).text(300, 780, str(number))
        for number in range(1, 4)
    ]
    made = markdown(tmp_path, *pages)
    assert "running head" not in made and "2" not in made
    assert made.count("first line") == 3


def test_a_sentence_and_a_table_go_on_over_the_page(tmp_path: Path) -> None:
    first = Page().text(50, 100, "Text that goes").text(50, 700, "on over the")
    second = Page().text(50, 100, "next page.")
    assert markdown(tmp_path, first, second).endswith("on over the next page.\n")


def test_code_is_fenced(tmp_path: Path) -> None:
    page = Page().lines(50, 60, *PROSE)
    page.lines(50, 120, "def f():", "    return 1", font="mono")
    assert "```\ndef f():\n    return 1\n```" in markdown(tmp_path, page)


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    page = Page()
    left = [f"left column line {i} of text" for i in range(6)]
    right = [f"right column line {i} of text" for i in range(6)]
    page.lines(50, 100, *left).lines(320, 100, *right)
    made = " ".join(markdown(tmp_path, page).split())
    assert " ".join(left) in made and made.index("left column line 5") < made.index("right column line 0")


def test_the_file_tells_about_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_bytes(Page().text(50, 100, "x"), Page(), title="Minutes", language="de-DE"))
    with open_document(path, max_pages=2) as document:
        info = document.info
    assert (info.pages, info.title, info.language, info.tagged) == (2, "Minutes", "de-DE", False)


def test_a_range_of_pages_is_read_alone(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", *[Page().text(50, 400, f"page {name}") for name in "abcd"])
    with open_document(path, max_pages=10) as document:
        assert [(page.number, page.text) for page in document.pages(2, 3)] == [(2, "page b"), (3, "page c")]


def test_a_page_is_rendered_within_its_limit_of_pixels(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", Page().text(50, 100, "x"))
    with open_document(path, max_pages=1) as document:
        large = document.render(1, max_pixels=10_000_000, dpi=144)
        small = document.render(1, max_pixels=10_000, dpi=144)
    assert large.size == (1200, 1600)
    assert 8_000 < small.width * small.height <= 10_000


def test_a_page_that_is_a_thin_strip_keeps_the_limit_too() -> None:
    assert 0 < fitting_scale(1_000_000, 1, 2.0, 10_000) <= 0.01
    assert fitting_scale(600, 800, 2.0, 10_000_000) == 2.0
