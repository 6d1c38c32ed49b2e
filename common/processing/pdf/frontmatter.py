"""Authors, dates and addresses around a title: larger than the text, and yet no headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.headings import NUMBERED, StyleKey, style_key

BODY_LETTERS = 160  # a paragraph that is longer ends what belongs to the title
SHORT_LETTERS = 80  # a paragraph that is shorter is an address, not what a heading heads
SMALLER = 0.95  # times the size of the title: what is larger is part of it
MONTHS = "jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez"
STAMP = re.compile(
    r"(?:\w+ )?(?:version|v|rev\.?|released?|stand|date|datum)\b[.:]?\s*v?\d.*"
    rf"|.{{0,20}}\b(?:{MONTHS})\w*\.?,?\s+(?:\d{{1,2}},?\s+)?\d{{4}}\b.{{0,30}}"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\b.{0,40}"
    r"|.*\S+@\S+.*|(?:https?://|www\.)\S+"
    r"|.*[∗†‡¶]",
    re.IGNORECASE,
)


def front(blocks: Sequence[Block]) -> list[Block]:
    """What stands before the first text of a page."""
    for index, block in enumerate(blocks):
        if block.kind is Kind.TABLE or len(block.text) > BODY_LETTERS or is_section(block.text.strip()):
            return list(blocks[:index])
    return list(blocks)


def is_section(text: str) -> bool:
    """Numbered, and not as a date is."""
    return NUMBERED.match(text) is not None and not STAMP.fullmatch(text)


def lasting_styles(pages: Iterable[Sequence[Block]]) -> frozenset[StyleKey]:
    """The styles of headings beyond the front of the first page."""
    found: set[StyleKey] = set()
    for number, blocks in enumerate(pages):
        rest = blocks[len(front(blocks)) :] if number == 0 else blocks
        found |= {style_key(block) for block in rest if block.kind is Kind.HEADING}
    return frozenset(found)


def demote_front_matter(blocks: Sequence[Block], lasting: Collection[StyleKey]) -> None:
    """Headings around the title whose style never comes again become paragraphs, unless they head text."""
    around = front(blocks)
    headings = [block for block in around if block.kind is Kind.HEADING]
    if not headings:
        return
    largest = max(block.size for block in headings)
    gone: set[StyleKey] = set()
    for block, after in zip(around, [*blocks[1:], None], strict=False):
        if block.kind is not Kind.HEADING or block.size > SMALLER * largest:
            continue
        key = style_key(block)
        if key in lasting:
            continue
        if key in gone or not heads_text(after) or STAMP.fullmatch(block.text.strip()):
            block.kind = Kind.PARAGRAPH
            gone.add(key)


def heads_text(after: Block | None) -> bool:
    return after is not None and after.kind is not Kind.HEADING and len(after.text) > SHORT_LETTERS
