"""Blocks as Markdown."""

from __future__ import annotations

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.links import line_text
from common.processing.pdf.markdown import render, render_table
from tests.unit.processing.pdf.made import MONO, paragraph, table, words


def block(kind: Kind, *texts: str, level: int = 0) -> Block:
    made = paragraph(*texts)
    made.kind, made.level = kind, level
    return made


def test_one_blank_line_between_blocks_and_none_between_items() -> None:
    blocks = [
        block(Kind.HEADING, "Title", level=2),
        block(Kind.PARAGRAPH, "Text of", "two lines."),
        block(Kind.ITEM, "• one"),
        block(Kind.ITEM, "2. two", level=1),
    ]
    assert render(blocks) == "## Title\n\nText of two lines.\n\n- one\n    2. two"


def test_a_table_has_a_head_a_rule_and_equal_rows() -> None:
    assert render_table([["a", "b|c"], ["d"]]) == "| a | b\\|c |\n|---|---|\n| d |  |"
    assert render([table([["a", "b"], ["c", "d"]])]).count("\n") == 2


def test_code_is_fenced_and_not_escaped() -> None:
    made = paragraph("if a <b> c", font=MONO)
    made.kind = Kind.CODE
    assert render([made]) == "```\nif a <b> c\n```"


def test_neighbouring_words_under_one_link_are_one_link() -> None:
    made = words("see our [site] now")
    made[1].link = made[2].link = "https://example.org"
    assert line_text(made) == "see [our site](https://example.org) now"


def test_text_that_looks_like_markdown_or_html_stays_text() -> None:
    assert render([paragraph("# 12 eggs")]) == "\\# 12 eggs"
    assert render([paragraph("a <b> c")]) == "a \\<b> c"
    assert render([paragraph("1 < 2")]) == "1 < 2"
