"""Words become lines: as PDFium breaks them, and cut where the white between two words is a gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from common.processing.pdf.spans import ASCENT, DESCENT, Box, Font, Word

GAP = 1.1  # font sizes of white between words that part a line into pieces: wider than justified text
BLANK, TINY = 0.35, 0.05  # font sizes: the white of one blank, and next to nothing
SHIFT = 0.6  # font sizes a superscript may stand off the baseline


Value = TypeVar("Value", float, Font)
PITCH_SLACK = 0.03  # font sizes


class Line:
    """Words on one baseline."""

    __slots__ = ("_text", "base", "bold", "face", "italic", "mono", "size", "words", "x0", "x1")

    def __init__(self, words: list[Word]) -> None:
        self.words = words
        self._text = ""
        self.x0 = min(word.x0 for word in words)
        self.x1 = max(word.x1 for word in words)
        if len(words) == 1:
            word = words[0]
            self.size, self.base = word.size, word.base
            self.bold, self.italic, self.face = word.font.bold, word.font.italic, word.font.name
            self.mono = has_one_pitch(words)
            return
        lengths = [len(word.text) for word in words]
        self.size = most_letters([word.size for word in words], lengths)
        self.base = most_letters([word.base for word in words], lengths)
        font = most_letters([word.font for word in words], lengths)
        self.face, self.bold, self.italic = font.name, font.bold, font.italic
        self.mono = has_one_pitch(words)

    @property
    def y0(self) -> float:
        return self.base - ASCENT * self.size

    @property
    def y1(self) -> float:
        return self.base + DESCENT * self.size

    @property
    def box(self) -> Box:
        return Box(self.x0, self.y0, self.x1, self.y1)

    @property
    def text(self) -> str:
        if not self._text:
            self._text = words_text(self.words)
        return self._text

    def __repr__(self) -> str:
        return f"Line({self.text!r}, {self.x0:.0f}-{self.x1:.0f} @ {self.base:.0f}, {self.size})"


def has_one_pitch(words: Sequence[Word]) -> bool:
    """Fixed pitch, by name or flag and by measure: many proportional fonts carry the flag."""
    if not all(word.font.mono for word in words):
        return False
    pitches = [(word.x1 - word.x0) / len(word.text) / word.size for word in words if len(word.text) > 2]
    return not pitches or max(pitches) - min(pitches) < PITCH_SLACK


def most_letters(values: Sequence[Value], lengths: Sequence[int]) -> Value:
    """The value that most letters share; `lengths` are the letters of each word."""
    first = values[0]
    if values.count(first) == len(values):
        return first
    count: dict[Value, int] = {}
    for value, length in zip(values, lengths, strict=True):
        count[value] = count.get(value, 0) + length
    return max(count, key=lambda value: count[value])


def words_text(words: Sequence[Word]) -> str:
    parts: list[str] = []
    for word in words:
        if parts and not word.glued:
            parts.append(" ")
        parts.append(word.text)
    return "".join(parts)


def split_lines(words: Sequence[Word], *, gap: float = GAP) -> list[Line]:
    """Lines in the order of the words; a gap wider than `gap` font sizes starts a new piece."""
    return [Line(group) for group in _groups(words, gap)]


def _groups(words: Sequence[Word], gap: float) -> Iterator[list[Word]]:
    current: list[Word] = []
    for word in words:
        if current and (_breaks(current[-1], word) or not _continues(current[-1], word, gap)):
            yield current
            current = []
        if current and word.starts_line:
            word.starts_line = False
            word.glued = word.x0 - current[-1].x1 < 2 * TINY * word.size
        current.append(word)
    if current:
        yield current


def _breaks(left: Word, right: Word) -> bool:
    """PDFium breaks a line here, and not in the middle of a row because fonts change."""
    if not right.starts_line:
        return False
    near = 0 <= right.x0 - left.x1 + TINY * right.size < BLANK * right.size
    return not (near and abs(left.base - right.base) < TINY * right.size)


def _continues(left: Word, right: Word, gap: float) -> bool:
    size = max(left.size, right.size)
    if abs(left.base - right.base) > SHIFT * size:
        return False
    white = right.x0 - left.x1 if right.x0 >= left.x0 else left.x0 - right.x1  # also right to left
    return -size < white <= gap * size


def joined_lines(pieces: Sequence[Line]) -> list[Line]:
    """Pieces that follow each other on one baseline become one line again."""
    joined: list[Line] = []
    for piece in pieces:
        if joined and same_row(joined[-1], piece):
            joined[-1] = Line(joined[-1].words + piece.words)
        else:
            joined.append(piece)
    return joined


def same_row(left: Line, right: Line) -> bool:
    size = max(left.size, right.size)
    return not right.words[0].starts_line and abs(left.base - right.base) <= SHIFT * size
