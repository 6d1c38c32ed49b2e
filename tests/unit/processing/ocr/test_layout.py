"""Lines become paragraphs, lists and headings."""

from __future__ import annotations

from common.processing.ocr.layout import as_markdown, as_text, join_lines
from common.processing.ocr.recogniser import OcrLine


def line(text: str, top: int, *, left: int = 100, height: float = 25, starts: bool = False) -> OcrLine:
    return OcrLine(
        text=text,
        box=(left, top, left + 500, top + round(height)),
        confidence=95,
        height=height,
        starts_block=starts,
        starts_paragraph=starts,
    )


def test_lines_of_a_paragraph_are_joined() -> None:
    assert as_markdown([line("One two", 0, starts=True), line("three four.", 40)]) == "One two three four."


def test_a_divided_word_is_made_whole() -> None:
    assert join_lines(["Die Vorbereitungs-", "sitzung und die Schoko-", "Bonbons"]) == (
        "Die Vorbereitungssitzung und die Schoko- Bonbons"
    )


def test_a_large_line_becomes_the_heading() -> None:
    lines = [line("Minutes", 0, height=40, starts=True), line("A long enough text.", 80, starts=True)]
    assert as_markdown(lines) == "# Minutes\n\nA long enough text."


def test_bullets_become_a_list_and_their_second_lines_stay_with_them() -> None:
    lines = [
        line("• one item that", 0, starts=True),
        line("goes on", 40, left=130),
        line("» the next", 80),
        line("* and the last", 120),
    ]
    assert as_markdown(lines) == "- one item that goes on\n- the next\n- and the last"
    assert as_text(lines) == "• one item that\ngoes on\n• the next\n• and the last"


def test_lines_that_stand_apart_are_paragraphs() -> None:
    lines = [line("One.", 0, starts=True), line("Two.", 40), line("Three.", 80), line("Four.", 200)]
    assert as_markdown(lines) == "One. Two. Three.\n\nFour."


def test_text_that_looks_like_markdown_is_escaped() -> None:
    assert as_markdown([line("# 298949 LINN", 0, starts=True)]) == "\\# 298949 LINN"


def test_nothing_gives_nothing() -> None:
    assert (as_text([]), as_markdown([])) == ("", "")
