"""A hyphen at the end of a line goes away only where it broke a word."""

from __future__ import annotations

import pytest

from common.processing.pdf.hyphens import join_lines, join_two


@pytest.mark.parametrize(
    ("left", "right", "whole"),
    [
        ("Vorbereitungs-", "sitzung", "Vorbereitungssitzung"),
        ("a PDF-", "Datei", "a PDF-Datei"),
        ("Haupt-", "und Nebensatz", "Haupt- und Nebensatz"),
        ("state-of-", "the-art", "state-of-the-art"),
        ("pages 10-", "year", "pages 10-year"),
        ("a dash -", "here", "a dash - here"),
        ("one", "two", "one two"),
        ("range 1-", "2", "range 1- 2"),
        ("", "first", "first"),
        ("last", "", "last"),
    ],
)
def test_two_lines_are_joined(left: str, right: str, whole: str) -> None:
    assert join_two(left, right) == whole


def test_many_lines_are_joined_in_order() -> None:
    assert join_lines(["one", "two-", "fold", "three"]) == "one twofold three"
