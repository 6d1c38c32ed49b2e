"""Blocks as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.code import code_text
from common.processing.pdf.hyphens import join_lines
from common.processing.pdf.links import line_text
from common.processing.pdf.lists import is_bullet, marker

LEADING = re.compile(r"^(#{1,6}\s|>|\+\s|~~~|```|={3,}$|-{3,}$)")


def render(blocks: Iterable[Block]) -> str:
    """One blank line between blocks, none between the items of a list."""
    parts: list[str] = []
    previous: Block | None = None
    for block in blocks:
        text = render_block(block)
        if not text:
            continue
        if previous is not None:
            close = previous.kind is Kind.ITEM and block.kind is Kind.ITEM
            parts.append("\n" if close else "\n\n")
        parts.append(text)
        previous = block
    return "".join(parts)


def render_block(block: Block) -> str:
    if block.kind is Kind.TABLE:
        return render_table(block.cells)
    if block.kind is Kind.CODE:
        return f"```\n{code_text(block.lines)}\n```"
    text = join_lines(line_text(line.words) for line in block.lines).strip()
    if not text:
        return ""
    if block.kind is Kind.HEADING:
        return f"{'#' * max(1, min(block.level, 6))} {text}"
    if block.kind is Kind.ITEM:
        return render_item(text, block.level)
    return escape_leading(text)


def render_item(text: str, depth: int) -> str:
    mark = marker(text)
    rest = text[len(mark) :].strip()
    lead = "-" if is_bullet(mark) else mark
    return f"{'    ' * depth}{lead} {rest}"


def render_table(cells: Sequence[Sequence[str]]) -> str:
    width = max(len(row) for row in cells)
    rows = [
        "| " + " | ".join([cell_text(cell) for cell in row] + [""] * (width - len(row))) + " |"
        for row in cells
    ]
    rule = "|" + "---|" * width
    return "\n".join([rows[0], rule, *rows[1:]])


def cell_text(text: str) -> str:
    return text.replace("|", "\\|").strip()


def escape_leading(text: str) -> str:
    """Text that only looks like a heading, a quotation or a rule stays text."""
    return "\\" + text if LEADING.match(text) else text
