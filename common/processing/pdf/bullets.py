"""Bullets that are drawn, not written, become words, so that every later step sees a list."""

from __future__ import annotations

from collections.abc import Sequence

from common.processing.pdf.lists import marker
from common.processing.pdf.spans import Box, Word

BULLET = "•"
MAX_DOTS = 400  # a page with more is a drawing
REACH = 3.0  # font sizes between a bullet and its text
HIGHEST = 0.9  # font sizes: the tallest bullet
BLANK = 0.3  # font sizes
ALIKE = 2.0  # points by which the bullets of a list may differ in place and size
MIN_ALIKE = 2


def with_bullets(words: Sequence[Word], dots: Sequence[Box]) -> list[Word]:
    """The words with a bullet before each line that has a dot beside it; one dot alone is an ornament."""
    if not dots or len(dots) > MAX_DOTS:
        return list(words)
    found = {id(word): dot for word in words if word.starts_line and (dot := dot_of(word, dots)) is not None}
    result: list[Word] = []
    for word in words:
        dot = found.get(id(word))
        if dot is not None and sum(are_alike(dot, other) for other in found.values()) >= MIN_ALIKE:
            result.append(bullet(word, dot))
            word.starts_line = False
        result.append(word)
    return result


def dot_of(word: Word, dots: Sequence[Box]) -> Box | None:
    """The dot that stands to the left of a line's first word, at its height."""
    if not word.upright or marker(f"{word.text} "):
        return None
    near = [
        dot
        for dot in dots
        if 0 <= word.x0 - dot.x1 <= REACH * word.size
        and dot.height <= HIGHEST * word.size
        and word.y0 <= (dot.y0 + dot.y1) / 2 <= word.base
    ]
    return max(near, key=lambda dot: dot.x1, default=None)


def are_alike(one: Box, other: Box) -> bool:
    return abs(one.x0 - other.x0) <= ALIKE and abs(one.width - other.width) <= ALIKE


def bullet(word: Word, dot: Box) -> Word:
    right = max(dot.x1, word.x0 - BLANK * word.size)  # no white that would look like the end of a column
    return Word(BULLET, dot.x0, right, word.base, word.size, word.font, starts_line=True, order=word.order)
