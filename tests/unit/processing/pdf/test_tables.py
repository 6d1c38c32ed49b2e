"""Whole tables of hand-made pages: ruled, between rules, without lines, and none at all."""

from __future__ import annotations

from common.processing.pdf.lines import Line, split_lines
from common.processing.pdf.rules import Rule
from common.processing.pdf.spans import Box, PageSpans
from common.processing.pdf.tables import find_tables, is_single_cell
from tests.unit.processing.pdf.made import BOLD, words


def across(y: float, x0: float = 40, x1: float = 300) -> Box:
    return Box(x0, y, x1, y + 0.5)


def down(x: float, y0: float = 85, y1: float = 145) -> Box:
    return Box(x, y0, x + 0.5, y1)


def pieces(*rows: str) -> list[Line]:
    return [piece for i, row in enumerate(rows) for piece in split_lines(words(row, base=100 + 20 * i))]


def cells(found: list[Line], strokes: list[Box]) -> list[list[list[str]]]:
    return [table.cells for table in find_tables(found, PageSpans(1, 600, 800, strokes=strokes))]


ROWS = ("name         age", "Ada          36", "Alan         41")
CELLS = [["name", "age"], ["Ada", "36"], ["Alan", "41"]]


def test_a_grid_of_lines_is_a_table() -> None:
    strokes = [across(y) for y in (85, 105, 125, 145)] + [down(x) for x in (40, 100, 300)]
    assert cells(pieces(*ROWS), strokes) == [CELLS]


def test_rules_above_and_below_are_enough() -> None:
    assert cells(pieces(*ROWS), [across(85), across(105), across(145)]) == [CELLS]


def test_aligned_columns_are_enough() -> None:
    assert cells(pieces(*ROWS), []) == [CELLS]


def test_prose_between_two_rules_is_no_table() -> None:
    prose = (
        "text that runs from one side to the other",
        "and goes on and on like this for a while",
        "until it ends here",
    )
    assert cells(pieces(*prose), [across(85), across(150)]) == []


def test_a_frame_around_prose_is_no_table() -> None:
    prose = ("text in a frame that is a note", "and goes on and on like this", "until it ends here")
    strokes = [across(85), across(145), down(40), down(300)]
    assert cells(pieces(*prose), strokes) == []


def test_a_column_without_text_is_left_out() -> None:
    strokes = [across(y) for y in (85, 105, 125, 145)] + [down(x) for x in (40, 100, 200, 300)]
    assert cells(pieces(*ROWS), strokes) == [CELLS]


def test_a_word_is_in_one_table_at_most() -> None:
    strokes = [across(y) for y in (85, 105, 125, 145)] + [down(x) for x in (40, 100, 300)]
    tables = find_tables(pieces(*ROWS), PageSpans(1, 600, 800, strokes=strokes))
    assert [len(table.words) for table in tables] == [6]


def test_a_row_with_one_filled_cell_does_not_end_a_table_but_a_heading_does() -> None:
    upper, lower = Rule(100, 50, 300), Rule(118, 50, 300)
    above = words("Porto      12", 52, 95)
    assert is_single_cell(words("Lyon", 52, 112), above, upper, lower)
    assert not is_single_cell(words("Results", 52, 112, font=BOLD), above, upper, lower)
    assert not is_single_cell(words("Lyon", 52, 112), above, upper, Rule(150, 50, 300))
    assert not is_single_cell(words("a cell that takes most of the width", 52, 112), above, upper, lower)
