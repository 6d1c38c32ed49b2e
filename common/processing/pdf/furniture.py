"""Finds running heads, running feet and page numbers: what repeats from page to page at one place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from common.processing.pdf.lines import Line

MARGIN = 0.14  # share of the page height at either end where heads and feet stand
PLACE = 4.0  # points by which a repeated line may move
NUMBER = re.compile(r"\d+")
FOLIO = re.compile(
    r"(?:(?:page|seite|p\.|s\.)\s*)?[-–—|\[(]*\s*(?:\d{1,4}|[ivxlc]{1,7})\s*[-–—|\])]*"
    r"(?:\s*(?:/|of|von)\s*\d{1,4})?|[A-Z0-9]{1,2}\s?[-–.]\s?\d{1,3}",
    re.IGNORECASE,
)
SIGNED = re.compile(r"^\d{1,4}\s+\D|\D\s+\d{1,4}$|^https?://|\d+/\d+/\d+,? \d+:\d+")

Print = tuple[str, int, int]


def fingerprint(line: Line, *, height: float) -> Print:
    """Text without its numbers, and where it stands; the left edge moves as page numbers grow."""
    text = NUMBER.sub("#", line.text).strip().casefold()
    end = 0 if line.base < height / 2 else 1
    return text, end, round(line.base / PLACE)


def in_margin(line: Line, *, height: float) -> bool:
    return line.base < MARGIN * height or line.y0 > (1 - MARGIN) * height


def with_neighbours(prints: Iterable[Print]) -> set[Print]:
    """What stands on a page, with the places next to theirs: heads move a little from page to page."""
    found: set[Print] = set()
    for text, end, place in prints:
        found |= {(text, end, place - 1), (text, end, place), (text, end, place + 1)}
    return found


def is_furniture(
    line: Line, seen: Print, *, height: float, neighbours: Sequence[Collection[Print]], body_size: float
) -> bool:
    """Whether pages around this one show the same line, `seen` by its fingerprint, at the same place."""
    if in_margin(line, height=height):
        return any(seen in other for other in neighbours) or is_folio(line, height=height)
    # Outside the margins only what stands on nearly every page: side bars of slides, stamps.
    least = max(3, 0.75 * len(neighbours))
    if len(neighbours) < least or line.size > body_size:
        return False
    return sum(seen in other for other in neighbours) >= least


def is_folio(line: Line, *, height: float) -> bool:
    """A page number by itself."""
    return in_margin(line, height=height) and FOLIO.fullmatch(line.text.strip()) is not None


def lonely_head_or_foot(lines: Sequence[Line], *, height: float, body_size: float) -> list[Line]:
    """On a single page nothing repeats: the outermost line counts if it bears a number, a date or an
    address, is no larger than the text and stands well away from it."""
    found: list[Line] = []
    if len(lines) < 4:
        return found
    ordered = sorted(lines, key=lambda line: line.base)
    for edge in (ordered, ordered[::-1]):
        for line, after in pairwise(edge[:4]):
            level = abs(after.base - line.base) < 2
            apart = level or abs(after.base - line.base) > 1.8 * line.size
            small = line.size <= body_size * 1.01
            if not (in_margin(line, height=height) and apart and small and SIGNED.search(line.text)):
                break
            found.append(line)
    return found
