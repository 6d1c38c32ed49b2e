"""Code: paragraphs in a font of fixed pitch, joined over blank lines. A document typed in one has none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.lines import Line

BLANK_LINES = 2.6  # font sizes from baseline to baseline over a blank line
ADDRESS = re.compile(r"\S*(?:://|www\.|@)\S*")
TYPED = 0.5  # share of letters of fixed pitch from which a document is typed


def is_typed(lines: Iterable[Line]) -> bool:
    fixed = total = 0
    for line in lines:
        letters = len(line.text)
        total += letters
        fixed += letters if line.mono else 0
    return fixed > TYPED * total


def is_code(block: Block) -> bool:
    return all(line.mono for line in block.lines) and not ADDRESS.fullmatch(block.text)


def with_joined_code(blocks: Sequence[Block]) -> list[Block]:
    """Pieces of code with no more than a blank line between them are one."""
    result: list[Block] = []
    for block in blocks:
        last = result[-1] if result else None
        if last is not None and last.kind is Kind.CODE and block.kind is Kind.CODE and goes_on(last, block):
            result[-1] = Block([*last.lines, *block.lines], Kind.CODE)
        else:
            result.append(block)
    return result


def goes_on(upper: Block, lower: Block) -> bool:
    step = lower.lines[0].base - upper.lines[-1].base
    return 0 < step <= BLANK_LINES * upper.size


def code_text(lines: Sequence[Line]) -> str:
    """Lines with their indents, and blank lines where white was left."""
    left = min(line.x0 for line in lines)
    rows: list[str] = []
    above: Line | None = None
    for line in lines:
        if above is not None and line.base - above.base > 1.8 * line.size:
            rows.append("")
        pitch = (line.x1 - line.x0) / max(len(line.text), 1)
        indent = round((line.x0 - left) / pitch) if pitch > 0 else 0
        rows.append(" " * min(indent, 80) + line.text)
        above = line
    return "\n".join(rows)
