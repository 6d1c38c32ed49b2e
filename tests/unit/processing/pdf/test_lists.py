"""List markers, and what only looks like one."""

from __future__ import annotations

import pytest

from common.processing.pdf.lists import is_bullet, marker


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("• one", "•"),
        ("•one", "•"),
        ("- one", "-"),
        ("– one", "–"),
        ("-5 degrees", ""),
        ("1. one", "1."),
        ("(a) one", "(a)"),
        ("iv) one", "iv)"),
        ("1.5 metres", ""),
        ("2019. In that year", ""),
        ("word. another", ""),
        ("plain", ""),
        ("", ""),
    ],
)
def test_the_marker_of_a_line(text: str, mark: str) -> None:
    assert marker(text) == mark


def test_bullets_differ_from_numbers() -> None:
    assert (is_bullet("•"), is_bullet("1."), is_bullet("(a)")) == (True, False, False)
