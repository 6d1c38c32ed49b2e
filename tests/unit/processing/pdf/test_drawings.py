"""Matrices, edges and boxes of drawn things."""

from __future__ import annotations

from common.processing.pdf.drawings import IDENTITY, combine, edge, is_line, transformed
from common.processing.pdf.spans import Box

DOUBLE = (2.0, 0.0, 0.0, 2.0, 10.0, 20.0)
QUARTER = (0.0, 1.0, -1.0, 0.0, 0.0, 0.0)


def test_combined_matrices_act_one_after_the_other() -> None:
    box = Box(1, 2, 3, 4)
    assert transformed(box, combine(DOUBLE, QUARTER)) == transformed(transformed(box, DOUBLE), QUARTER)


def test_nothing_changes_by_the_identity() -> None:
    assert transformed(Box(1, 2, 3, 4), IDENTITY) == Box(1, 2, 3, 4)
    assert combine(DOUBLE, IDENTITY) == DOUBLE


def test_a_turned_box_is_a_box_again() -> None:
    assert transformed(Box(0, 0, 10, 5), QUARTER) == Box(-5, 0, 0, 10)


def test_a_line_is_long_and_thin_along_an_axis() -> None:
    assert is_line(edge(100, 50, 0, 50))
    assert is_line(edge(50, 0, 50, 30))
    assert not is_line(edge(0, 0, 30, 30))
    assert not is_line(edge(0, 0, 2, 0))
