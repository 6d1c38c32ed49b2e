"""A table of contents repeats the headings: its entries end with the number of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from common.processing.pdf.blocks import Block, Kind

ENTRY = re.compile(r"\S.*?[\s.](\d{1,4})$", re.DOTALL)
MIN_ENTRIES = 3


def demote_contents(blocks: Sequence[Block]) -> None:
    """Headings in a run of entries, whose page numbers never fall, become paragraphs."""
    run: list[Block] = []
    before = 0
    for block in blocks:
        page = entry_page(block)
        if page is None or (run and page < before):
            demote(run)
            run = []
        if page is not None:
            run.append(block)
            before = page
    demote(run)


def entry_page(block: Block) -> int | None:
    """The page on which the last entry of a block stands; None where it is no entry."""
    match = ENTRY.fullmatch(block.lines[-1].text.strip()) if block.lines else None
    return int(match[1]) if match else None


def demote(run: Sequence[Block]) -> None:
    if sum(len(block.lines) for block in run) < MIN_ENTRIES:
        return
    for block in run:
        if block.kind is Kind.HEADING:
            block.kind = Kind.PARAGRAPH
