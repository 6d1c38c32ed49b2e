"""The words of a page by their height, for the question which of them stand inside a box."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from common.processing.pdf.spans import Box, Word


class Field:
    """Words sorted by the height of their middle."""

    def __init__(self, words: Iterable[Word]) -> None:
        self._words = sorted(words, key=_middle)
        self._heights = [_middle(word) for word in self._words]

    def inside(self, box: Box) -> list[Word]:
        """The words whose middle is in the box, from top to bottom; a point beside it is forgiven."""
        first, last = bisect_left(self._heights, box.y0), bisect_right(self._heights, box.y1 + 1)
        left, right = 2 * (box.x0 - 1), 2 * (box.x1 + 1)
        return [word for word in self._words[first:last] if left <= word.x0 + word.x1 <= right]


def _middle(word: Word) -> float:
    return word.base - word.size / 4
