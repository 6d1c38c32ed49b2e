"""What a page is made of before anyone looks at its layout: words, strokes and fills with boxes.

Coordinates are points, the origin is the top left corner, and the text runs upright.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from common.processing.pdf.structure import Tag

# Letters reach from here to there around the baseline, in font sizes. Fonts declare their own
# ascent and descent so differently that one fixed band makes better lines.
ASCENT = 0.75
DESCENT = 0.22


class Box(NamedTuple):
    """An upright rectangle: left, top, right, bottom."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0


@dataclass(frozen=True, slots=True)
class Font:
    """A typeface as far as layout cares."""

    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False


@dataclass(slots=True)
class Word:
    """Letters without a blank between them, in one line."""

    text: str
    x0: float
    x1: float
    base: float  # the y of the baseline
    size: float
    font: Font
    starts_line: bool = False  # PDFium broke the line before it
    glued: bool = False  # no blank before it
    upright: bool = True
    link: str = ""
    order: int = 0  # its place in PDFium's reading order
    mark: int = -1  # marked-content id, the key into a tagged file's structure

    @property
    def y0(self) -> float:
        return self.base - ASCENT * self.size

    @property
    def y1(self) -> float:
        return self.base + DESCENT * self.size


@dataclass(slots=True)
class PageSpans:
    """One page as it was drawn, in the order in which it was drawn."""

    number: int
    width: float
    height: float
    words: list[Word] = field(default_factory=list)
    strokes: list[Box] = field(default_factory=list)  # thin boxes: ruled lines
    fills: list[Box] = field(default_factory=list)  # painted areas: cell backgrounds
    dots: list[Box] = field(default_factory=list)  # small drawn things: bullets
    has_graphics: bool = False
    is_scan: bool = False  # one picture covers the page: its text, if any, was read by OCR
    text: str = ""
    tags: dict[int, Tag] = field(default_factory=dict)  # of a tagged file, by the marks of words


def union(boxes: list[Box]) -> Box:
    """The smallest box around all of them."""
    return Box(
        min(b.x0 for b in boxes), min(b.y0 for b in boxes), max(b.x1 for b in boxes), max(b.y1 for b in boxes)
    )
