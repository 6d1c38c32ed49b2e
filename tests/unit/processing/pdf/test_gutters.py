"""White between columns."""

from __future__ import annotations

from common.processing.pdf.gutters import gutters, intervals, text_rows
from tests.unit.processing.pdf.made import words


def test_words_of_one_baseline_are_a_row_from_left_to_right() -> None:
    shifted = words("second", x=200, base=101) + words("first", x=50, base=100) + words("below", base=115)
    assert [[word.text for word in row] for row in text_rows(shifted)] == [["first", "second"], ["below"]]


def test_a_blank_joins_words_and_white_parts_them() -> None:
    assert intervals(words("a b     c", x=0)) == [(0, 13), (36, 41)]


def test_a_gutter_is_free_in_nearly_all_rows() -> None:
    rows = [[(0.0, 40.0), (60.0, 90.0)], [(0.0, 50.0), (60.0, 80.0)], [(5.0, 30.0), (65.0, 90.0)]]
    assert gutters(rows, min_width=5) == [(50.0, 60.0)]
    assert gutters(rows, min_width=15) == []


def test_one_row_makes_no_gutter() -> None:
    assert gutters([[(0.0, 40.0), (60.0, 90.0)]], min_width=5) == []


def test_a_column_that_one_row_fills_is_part_of_its_neighbour() -> None:
    rows = [
        [(0.0, 40.0), (100.0, 140.0)],
        [(0.0, 40.0), (100.0, 140.0)],
        [(0.0, 40.0), (50.0, 60.0), (100.0, 140.0)],
    ]
    assert len(gutters(rows, min_width=5)) == 1


def test_a_few_rows_may_run_across() -> None:
    rows = [[(0.0, 40.0), (60.0, 90.0)]] * 9 + [[(0.0, 70.0), (80.0, 90.0)]]
    assert gutters(rows, min_width=5) == [(40.0, 60.0)]
