"""Words and lines made by hand."""

from __future__ import annotations

import re

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.lines import Line
from common.processing.pdf.spans import Font, PageSpans, Word

LETTER, BLANK = 0.5, 0.3  # widths, in font sizes
REGULAR, BOLD, MONO = Font("Body"), Font("Body-Bold", bold=True), Font("Code", mono=True)


def words(
    text: str, x: float = 50, base: float = 100, *, size: float = 10, font: Font = REGULAR
) -> list[Word]:
    """The words of one line. A single blank is narrow, every further one as wide as a letter."""
    made: list[Word] = []
    right = x
    for place, match in enumerate(re.finditer(r"( *)([^ ]+)", text)):
        blanks, letters = match.groups()
        left = right + (BLANK + LETTER * (len(blanks) - 1)) * size if blanks else right
        right = left + LETTER * len(letters) * size
        made.append(Word(letters, left, right, base, size, font, order=place))
    made[0].starts_line = True
    return made


def line(text: str, x: float = 50, base: float = 100, *, size: float = 10, font: Font = REGULAR) -> Line:
    return Line(words(text, x, base, size=size, font=font))


def paragraph(*texts: str, x: float = 50, base: float = 100, size: float = 10, font: Font = REGULAR) -> Block:
    return Block([line(text, x, base + 1.2 * size * i, size=size, font=font) for i, text in enumerate(texts)])


def table(rows: list[list[str]]) -> Block:
    return Block([], Kind.TABLE, cells=rows)


def page(*lines: Line, width: float = 600, height: float = 800) -> PageSpans:
    found = [word for one in lines for word in one.words]
    for place, word in enumerate(found):
        word.order = place
    return PageSpans(1, width, height, words=found, text=" ".join(word.text for word in found))
