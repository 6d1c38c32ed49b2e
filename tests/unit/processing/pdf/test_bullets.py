"""Drawn bullets make lists."""

from __future__ import annotations

from pathlib import Path

from common.processing.pdf.bullets import with_bullets
from common.processing.pdf.document import open_document
from common.processing.pdf.drawings import is_dot
from common.processing.pdf.spans import Box
from tests.unit.processing.pdf.made import words
from tests.unit.processing.pdf.writer import Page, write_pdf


def dot(x: float, base: float, size: float = 4) -> Box:
    return Box(x, base - 3 - size / 2, x + size, base - 3 + size / 2)


def texts(dots: list[Box]) -> str:
    found = words("one thing", base=100) + words("another", base=120) + words("• third", base=140)
    return " ".join(word.text for word in with_bullets(found, dots))


def test_a_dot_before_each_line_is_a_bullet() -> None:
    assert texts([dot(40, 100), dot(40, 120), dot(40, 140)]) == "• one thing • another • third"


def test_a_single_dot_is_an_ornament() -> None:
    assert texts([dot(40, 100)]) == "one thing another • third"


def test_dots_far_away_or_too_large_are_none() -> None:
    assert texts([dot(5, 100), dot(5, 120)]) == "one thing another • third"
    assert texts([dot(35, 100, size=14), dot(35, 120, size=14)]) == "one thing another • third"


def test_dots_at_other_places_are_no_list() -> None:
    assert texts([dot(40, 100), dot(30, 120)]) == "one thing another • third"


def test_a_dot_is_small_and_about_as_wide_as_high() -> None:
    assert is_dot(Box(0, 0, 5, 6))
    assert not is_dot(Box(0, 0, 5, 20)) and not is_dot(Box(0, 0, 50, 50)) and not is_dot(Box(0, 0, 1, 1))


def test_a_page_with_drawn_bullets_becomes_a_list(tmp_path: Path) -> None:
    page = Page().text(50, 60, "Some text before the list that is drawn")
    for index, text in enumerate(("one thing", "another thing", "a third thing")):
        page.area(60, 94 + 14 * index, 64, 98 + 14 * index, gray=0).text(72, 100 + 14 * index, text)
    with open_document(write_pdf(tmp_path / "a.pdf", page), max_pages=1) as document:
        assert next(document.pages()).markdown.endswith("- one thing\n- another thing\n- a third thing")
