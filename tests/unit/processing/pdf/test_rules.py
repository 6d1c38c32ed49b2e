"""Strokes become lines, lines become regions."""

from __future__ import annotations

from common.processing.pdf.rules import MAX_RULES, Rule, regions, ruling, without_underlines
from common.processing.pdf.spans import Box
from tests.unit.processing.pdf.made import words


def across(y: float, x0: float, x1: float) -> Box:
    return Box(x0, y - 0.3, x1, y + 0.3)


def down(x: float, y0: float, y1: float) -> Box:
    return Box(x - 0.3, y0, x + 0.3, y1)


def test_strokes_along_one_line_are_one_line() -> None:
    found = ruling([across(100, 50, 100), across(100.5, 101, 200)], [], width=600, height=800)
    assert [(rule.start, rule.end) for rule in found.across] == [(50, 200)]


def test_strokes_with_white_between_them_stay_apart() -> None:
    assert len(ruling([across(100, 50, 100), across(100, 150, 200)], [], width=600, height=800).across) == 2


def test_the_edges_of_a_painted_area_are_lines_but_not_those_of_the_background() -> None:
    painted = ruling([], [Box(50, 100, 200, 120)], width=600, height=800)
    assert (len(painted.across), len(painted.down)) == (2, 2)
    assert ruling([], [Box(0, 0, 600, 800)], width=600, height=800) == ([], [])


def test_a_drawing_of_too_many_lines_is_no_ruling() -> None:
    many = [across(y, 0, 50) for y in range(0, 4 * (MAX_RULES + 1), 4)]
    assert ruling(many, [], width=600, height=8000) == ([], [])


def test_lines_that_touch_are_one_region_and_others_another() -> None:
    strokes = [
        across(100, 50, 200),
        across(150, 50, 200),
        down(50, 100, 150),
        down(200, 100, 150),
        across(400, 50, 90),
    ]
    found = regions(ruling(strokes, [], width=600, height=800))
    assert [(len(region.across), len(region.down)) for region in found] == [(2, 2), (1, 0)]
    assert found[0].box == Box(50, 100, 200, 150)


def test_a_rule_knows_its_length() -> None:
    assert Rule(10, 20, 50).length == 30


def test_a_line_just_below_words_and_as_long_is_an_underline() -> None:
    found = words("an underlined phrase", x=50, base=100)
    under = Rule(102, 50, found[-1].x1)
    longer, lower = Rule(102, 50, 400), Rule(110, 50, found[-1].x1)
    assert without_underlines([under, longer, lower], found) == [longer, lower]
