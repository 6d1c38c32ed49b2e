"""Rows just outside the rules of a table belong to it where they stand in its columns."""

from __future__ import annotations

from common.processing.pdf.edges import edge_words, fits
from common.processing.pdf.fields import Field
from common.processing.pdf.spans import Box, Word
from tests.unit.processing.pdf.made import words

BOX = Box(50, 100, 250, 160)
CUTS = [120.0, 190.0]


def found(*rows: list[Word], used: frozenset[int] = frozenset()) -> list[str]:
    field = Field([word for row in rows for word in row])
    return [word.text for word in edge_words(BOX, CUTS, field, used, size=10)]


def row(base: float, *texts: str) -> list[Word]:
    return [word for text, x in zip(texts, (52, 125, 195), strict=False) for word in words(text, x, base)]


def test_a_head_above_and_a_row_below_are_found() -> None:
    assert found(row(94, "Year", "Count", "Share"), row(172, "2024", "3", "7")) == [
        "Year",
        "Count",
        "Share",
        "2024",
        "3",
        "7",
    ]


def test_a_row_far_away_is_none() -> None:
    assert not found(row(70, "Year", "Count", "Share"))


def test_text_that_runs_across_the_columns_is_none() -> None:
    assert not found(words("a caption that runs across columns", 52, 94))


def test_words_of_another_table_are_left_alone() -> None:
    head = row(94, "Year", "Count", "Share")
    assert not found(head, used=frozenset({id(head[0])}))


def test_a_row_wider_than_the_table_does_not_fit() -> None:
    assert fits(row(94, "Year", "Count"), BOX, CUTS)
    assert not fits([*row(94, "Year", "Count"), *words("outside", 240, 94)], BOX, CUTS)
