"""Puts right what was drawn out of order: PDFium reads as things are drawn, and a title may be drawn last."""

from __future__ import annotations

from collections.abc import Sequence

from common.processing.pdf.blocks import Block
from common.processing.pdf.spans import Box, union

OVERLAP = 0.5  # share of the narrower width that two areas must share to be above each other


def in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """The order of drawing, except that a run of blocks above all that came before it goes before it."""
    placed: list[Block] = []
    below: Box | None = None  # the area of what is placed already
    index = 0
    while index < len(blocks):
        end = index
        while end < len(blocks) and below is not None and is_above(blocks[end].box, below):
            end += 1
        run = list(blocks[index : max(end, index + 1)])
        placed = run + placed if end > index else placed + run
        below = union([block.box for block in run] + ([below] if below else []))
        index += len(run)
    return placed


def is_above(box: Box, below: Box) -> bool:
    shared = min(box.x1, below.x1) - max(box.x0, below.x0)
    return box.y1 <= below.y0 and shared > OVERLAP * min(box.width, below.width)
