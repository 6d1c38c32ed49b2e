"""Slides: each page is one, and the heading at its top is its title, however large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.spans import PageSpans

WIDE = 1.2  # width by height from which a page is a slide
MAX_LETTERS = 1_500  # on a page: a folded brochure has more
TITLE_ZONE = 0.4  # share of the height, from the top, where a title starts


def are_slides(pages: Sequence[PageSpans]) -> bool:
    """Whether most pages are wider than high, and hold as little text as slides do."""
    wide = sum(spans.width > WIDE * spans.height for spans in pages)
    letters = sum(len(spans.text) for spans in pages)
    return 2 * wide > len(pages) and letters < MAX_LETTERS * len(pages)


def slide_title(blocks: Iterable[Block], *, height: float) -> Block | None:
    """The first heading, if it stands near the top."""
    title = next((block for block in blocks if block.kind is Kind.HEADING), None)
    return title if title is not None and title.box.y0 < TITLE_ZONE * height else None


def usual_level(titles: Iterable[Block]) -> int:
    """The level of most titles; the deeper one of two that are equally frequent; 0 without any."""
    count = Counter(title.level for title in titles)
    return max(count, key=lambda level: (count[level], level), default=0)


def level_slide(blocks: Sequence[Block], *, height: float, usual: int) -> None:
    """A title no deeper than the `usual` one is on level 1, any other heading below."""
    title = slide_title(blocks, height=height)
    for block in blocks:
        if block.kind is Kind.HEADING:
            is_title = block is title and block.level <= usual
            block.level = 1 if is_title else max(block.level - usual + 1, 2)
