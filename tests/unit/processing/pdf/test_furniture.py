"""Running heads, running feet and page numbers go; what only looks like them stays."""

from __future__ import annotations

import pytest

from common.processing.pdf.furniture import (
    fingerprint,
    is_folio,
    is_furniture,
    lonely_head_or_foot,
    with_neighbours,
)
from common.processing.pdf.lines import Line
from tests.unit.processing.pdf.made import line

HEIGHT = 800.0


def furniture(one: Line, *neighbours: Line) -> bool:
    prints = [with_neighbours([fingerprint(other, height=HEIGHT)]) for other in neighbours]
    return is_furniture(one, fingerprint(one, height=HEIGHT), height=HEIGHT, neighbours=prints, body_size=10)


def test_a_head_that_repeats_with_another_number_is_furniture() -> None:
    assert furniture(line("Report 7", base=40), line("Report 8", base=41))


def test_a_line_that_repeats_elsewhere_is_not() -> None:
    assert not furniture(line("Report", base=40), line("Report", base=90))


def test_text_in_the_middle_that_repeats_once_stays() -> None:
    assert not furniture(line("Total", base=400), line("Total", base=400))


def test_text_in_the_middle_that_stands_on_every_page_goes() -> None:
    assert furniture(line("stamp", base=400), *[line("stamp", base=400)] * 4)


@pytest.mark.parametrize("text", ["7", "- 7 -", "Page 7 of 9", "Seite 7", "xii", "A-3", "7/9"])
def test_a_page_number_by_itself(text: str) -> None:
    assert is_folio(line(text, base=780), height=HEIGHT)
    assert not is_folio(line(text, base=400), height=HEIGHT)


@pytest.mark.parametrize("text", ["7 apples", "Introduction", "12345"])
def test_other_short_lines_are_no_page_number(text: str) -> None:
    assert not is_folio(line(text, base=780), height=HEIGHT)


def test_a_single_page_loses_a_numbered_foot_that_stands_apart() -> None:
    body = [line("text", base=300 + 12 * i) for i in range(5)]
    foot = line("Annual report 12", base=780)
    assert lonely_head_or_foot([*body, foot], height=HEIGHT, body_size=10) == [foot]


def test_a_single_page_keeps_a_large_title() -> None:
    title = line("Plan 2030", base=60, size=20)
    body = [line("text", base=300 + 12 * i) for i in range(5)]
    assert lonely_head_or_foot([title, *body], height=HEIGHT, body_size=10) == []
