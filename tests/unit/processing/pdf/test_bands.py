"""Which lines of text are one row of a table."""

from __future__ import annotations

from common.processing.pdf.bands import (
    band_rows,
    below_heads,
    fold_centred,
    has_records,
    spanning_groups,
    with_whole_head,
)
from common.processing.pdf.grids import Row, fill_rows, render_cells
from common.processing.pdf.rules import Rule
from tests.unit.processing.pdf.made import words

EDGES = [40.0, 150.0, 300.0]


def rows_of(*lines: tuple[str, str, float]) -> list[Row]:
    found = []
    for left, right, base in lines:
        found += words(left, x=50, base=base) if left else []
        found += words(right, x=160, base=base) if right else []
    return fill_rows(found, [150])


def cells(rows: list[Row], levels: list[float], *, grid: bool) -> list[list[str]]:
    across = [Rule(level, 40, 300) for level in levels]
    return render_cells(band_rows(rows, across, EDGES, grid=grid), 2)


def test_lines_between_two_rules_are_one_row() -> None:
    rows = rows_of(("one", "first", 100), ("", "more", 112), ("two", "second", 132), ("three", "third", 152))
    assert cells(rows, [85, 118, 138, 160], grid=True) == [
        ["one", "first more"],
        ["two", "second"],
        ["three", "third"],
    ]


def test_numbers_between_two_rules_are_rows_of_their_own() -> None:
    rows = rows_of(("a", "1", 100), ("b", "2", 112), ("c", "3", 124))
    assert has_records(rows)
    assert cells(rows, [85, 130], grid=False) == [["a", "1"], ["b", "2"], ["c", "3"]]


def test_a_line_without_a_first_cell_continues_the_row_above() -> None:
    rows = rows_of(("one", "a long", 100), ("", "cell", 112), ("two", "next", 124))
    assert cells(rows, [], grid=False) == [["one", "a long cell"], ["two", "next"]]


def test_a_lower_case_first_cell_continues_the_one_above() -> None:
    rows = rows_of(("A name", "5", 100), ("that wraps", "", 112), ("Other", "6", 124))
    assert cells(rows, [], grid=False) == [["A name that wraps", "5"], ["Other", "6"]]


def test_bands_that_no_rule_parts_are_one_spanning_cell() -> None:
    rules = [Rule(100, 40, 300), Rule(120, 150, 300), Rule(140, 40, 300)]
    assert spanning_groups(rules, [100, 120, 140], 40, 150) == [[1, 2]]
    assert spanning_groups(rules, [100, 120, 140], 150, 300) == []


def test_the_text_of_a_spanning_cell_moves_to_its_first_row() -> None:
    rows = rows_of(("", "first", 112), ("group", "", 120), ("", "second", 132), ("other", "third", 152))
    rules = [Rule(y, 40, 300) for y in (100, 140, 160)] + [Rule(122.5, 150, 300)]
    assert render_cells(band_rows(rows, rules, EDGES, grid=True), 2) == [
        ["group", "first"],
        ["", "second"],
        ["other", "third"],
    ]


def test_a_cell_centred_beside_two_rows_spans_them() -> None:
    rows = rows_of(("", "first", 100), ("6", "", 106), ("", "second", 112))
    assert render_cells(fold_centred(rows), 2) == [["6", "first"], ["", "second"]]


def test_a_row_at_the_usual_distance_is_not_folded() -> None:
    rows = rows_of(("", "first", 100), ("6", "", 114), ("", "second", 128))
    assert len(fold_centred(rows)) == 3


def test_a_head_over_two_columns_stays_a_row_of_its_own() -> None:
    head = fill_rows(words("a head over both", x=100), [150])[0]
    below = rows_of(("Male", "Female", 112))[0]
    wrapped_cell = rows_of(("", "goes on", 112))[0]
    assert [len(part) for part in below_heads([head, below])] == [1, 1]
    assert [len(part) for part in below_heads([head, wrapped_cell])] == [2]


def test_a_head_that_wraps_above_the_first_column_is_whole() -> None:
    rows = rows_of(("", "Number", 100), ("Item", "of items", 112), ("Total", "135", 130))
    assert render_cells(with_whole_head(rows), 2) == [["Item", "Number of items"], ["Total", "135"]]


def test_a_head_over_a_row_of_numbers_is_left_alone() -> None:
    rows = rows_of(("", "Number", 100), ("Item", "12", 112), ("Total", "135", 130))
    assert len(with_whole_head(rows)) == 3
