"""Lines become blocks: a paragraph, a heading, a list item, a piece of code, a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from common.processing.pdf.lines import Line
from common.processing.pdf.lists import marker
from common.processing.pdf.spans import Box, union


class Kind(Enum):
    """What a block is in Markdown."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"  # of a list
    CODE = "code"
    TABLE = "table"


@dataclass(slots=True)
class Block:
    """Lines that belong together, in reading order."""

    lines: list[Line]
    kind: Kind = Kind.PARAGRAPH
    level: int = 0  # of a heading, or the depth of a list item
    cells: list[list[str]] = field(default_factory=list)  # of a table
    area: Box | None = None  # of a table

    @property
    def box(self) -> Box:
        return self.area or union([line.box for line in self.lines])

    @property
    def size(self) -> float:
        return max(self.lines, key=lambda line: len(line.words)).size if self.lines else 0.0

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


LEADERS = re.compile(r"(?:\s?\.){4,}\s*\w{1,6}$")  # an entry of a table of contents
LOOSE = 1.75  # font sizes between baselines of one paragraph, before its own leading is known
LEADING_SLACK = 1.2
SIZE_SLACK = 0.08  # share by which sizes may differ inside a paragraph
FACE_SLACK = 0.04  # the same where the typeface differs too
INDENT = 0.9  # font sizes
SHORT = 0.75  # share of its block's width below which a line that ends a sentence ends the block


def split_blocks(lines: Sequence[Line]) -> list[Block]:
    """Paragraph by paragraph, in the order of the lines."""
    blocks: list[Block] = []
    for line in lines:
        if blocks and _belongs(blocks[-1].lines, line):
            blocks[-1].lines.append(line)
        else:
            blocks.append(Block([line]))
    return blocks


def _belongs(block: list[Line], line: Line) -> bool:
    last = block[-1]
    size = max(last.size, line.size)
    step = line.base - last.base
    slack = SIZE_SLACK if last.face == line.face else FACE_SLACK
    if abs(last.size - line.size) > slack * size or step < 0.5 * size:
        return False
    code = last.mono and line.mono
    if min(last.x1, line.x1) - max(last.x0, line.x0) < 0 and not code:
        return False
    limit = LOOSE * size
    if len(block) > 1:
        limit = min(limit, LEADING_SLACK * (block[1].base - block[0].base))
    if step > limit:
        return False
    if code:
        return True
    if LEADERS.search(last.text) or marker(line.text):
        return False
    if last.bold != line.bold and (last.bold or line.bold) and _uniform(last) and _uniform(line):
        return False
    if len(block) == 1 and _stands_out(last, line):
        return False
    return last.mono == line.mono and not (_is_indented(block, line) or _ended(block, line))


def _stands_out(first: Line, line: Line) -> bool:
    """A short line in another typeface, or in capitals, above text: a heading."""
    if first.x1 - first.x0 > SHORT * (line.x1 - line.x0):
        return False
    if first.text.isupper():
        return not line.text.isupper()
    return len(_faces(first)) == 1 and first.face not in _faces(line)


def _faces(line: Line) -> set[str]:
    return {word.font.name for word in line.words}


def _uniform(line: Line) -> bool:
    return all(word.font.bold == line.bold for word in line.words)


def _is_indented(block: list[Line], line: Line) -> bool:
    """A first line that stands in from a flush paragraph starts the next one."""
    if marker(block[0].text):
        return False
    left = min(other.x0 for other in block[1:]) if len(block) > 1 else block[0].x0
    flush = abs(block[-1].x0 - left) < INDENT * line.size
    return flush and len(block) > 1 and INDENT * line.size < line.x0 - left < 6 * line.size


def _ended(block: list[Line], line: Line) -> bool:
    """The last line stopped short at the end of a sentence."""
    right = max(max(other.x1 for other in block), line.x1)
    left = min(min(other.x0 for other in block), line.x0)
    short = block[-1].x1 - left < SHORT * (right - left)
    return short and block[-1].text.endswith((".", "!", "?", ":", "。"))
