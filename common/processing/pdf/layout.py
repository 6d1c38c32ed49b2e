"""The steps from the spans of a page to its blocks, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from common.processing.pdf.blocks import Block, Kind, split_blocks
from common.processing.pdf.bookmarks import with_bookmarks
from common.processing.pdf.bullets import with_bullets
from common.processing.pdf.code import is_code, is_typed, with_joined_code
from common.processing.pdf.contents import demote_contents
from common.processing.pdf.faces import heading_faces
from common.processing.pdf.frontmatter import demote_front_matter, lasting_styles
from common.processing.pdf.furniture import (
    Print,
    fingerprint,
    is_folio,
    is_furniture,
    lonely_head_or_foot,
    with_neighbours,
)
from common.processing.pdf.headings import (
    Styles,
    body_face,
    body_style,
    heading_levels,
    is_heading,
    level_key,
    level_of,
    text_styles,
)
from common.processing.pdf.lines import Line, joined_lines, split_lines
from common.processing.pdf.lists import marker
from common.processing.pdf.order import in_reading_order
from common.processing.pdf.slides import are_slides, level_slide, slide_title, usual_level
from common.processing.pdf.spans import PageSpans
from common.processing.pdf.tables import Table, find_tables
from common.processing.pdf.tagged import Tags, names_headings, tagged_tables, trusted_tags, with_tags

MAX_DEPTH = 5


class PageLayout:
    """The lines of a page, cut once and used by every later step."""

    __slots__ = (
        "_blocks",
        "_dropped",
        "height",
        "lines",
        "number",
        "pieces",
        "prints",
        "seen",
        "spans",
        "tags",
        "titles",
    )

    def __init__(self, spans: PageSpans, titles: Sequence[str] = ()) -> None:
        self.spans = spans
        self.tags = trusted_tags(spans)
        self.titles = titles  # of the bookmarks that lead here
        self.number = spans.number
        self.height = spans.height
        self.pieces = split_lines(with_bullets(spans.words, spans.dots))
        self.lines = joined_lines(self.pieces)
        self.seen = [fingerprint(line, height=self.height) for line in self.lines]
        self.prints = with_neighbours(self.seen)
        self._dropped: frozenset[int] | None = None
        self._blocks: list[Block] = []

    def blocks(self, dropped: Sequence[Line]) -> list[Block]:
        """Tables and paragraphs without the `dropped` lines; kept, for the styles of a document ask often."""
        gone = frozenset(id(word) for line in dropped for word in line.words)
        if gone != self._dropped:
            pieces = [piece for piece in self.pieces if id(piece.words[0]) not in gone]
            self._blocks = in_reading_order(assemble(pieces, page_tables(pieces, self.spans, self.tags)))
            self._dropped = gone
        return self._blocks

    @classmethod
    def empty(cls, number: int) -> PageLayout:
        """A page that PDFium cannot load."""
        return cls(PageSpans(number, 1.0, 1.0))


def document_styles(pages: Sequence[PageLayout]) -> Styles:
    """What is usual in the sampled pages."""
    size, bold = body_style(line for page in pages for line in page.lines)
    first = Styles(body_size=size, body_bold=bold)
    kept = [line for page in pages for line in without_furniture(page, others(page, pages), first)]
    size, bold = body_style(kept)
    text = [line for page in pages for line in prose(page, others(page, pages), first)]
    if body_style(text) > (size, True):  # tables are often set smaller than the text, and hold more of it
        kept, (size, bold) = text, body_style(text)
    second = Styles(
        body_size=size,
        body_bold=bold,
        body_face=body_face(kept, size),
        typed=is_typed(kept),
        tagged=names_headings(page.spans for page in pages),
    )
    plain = (second.body_size, second.body_face, False)
    second = replace(second, faces=heading_faces(pages_blocks(pages, second), plain))
    sample = list(pages_blocks(pages, second))
    used_for_text = text_styles(block for blocks in sample for block in blocks)
    third = replace(second, plain=used_for_text, lasting=lasting_styles(sample) - used_for_text)
    levelled = replace(third, levels=heading_levels(chain.from_iterable(pages_blocks(pages, third))))
    return replace(levelled, title_level=title_level(pages, levelled))


def title_level(pages: Sequence[PageLayout], styles: Styles) -> int:
    """The level that the titles of slides have by their looks; 0 where the pages are no slides."""
    if not are_slides([page.spans for page in pages]):
        return 0
    titles = [
        slide_title(page_blocks(page, neighbours=others(page, pages), styles=styles), height=page.height)
        for page in pages
    ]
    return usual_level(title for title in titles if title is not None)


def others(page: PageLayout, pages: Sequence[PageLayout]) -> list[Collection[Print]]:
    return [other.prints for other in pages if other is not page]


def without_furniture(
    page: PageLayout, neighbours: Sequence[Collection[Print]], styles: Styles
) -> list[Line]:
    dropped = {id(line) for line in furniture(page, neighbours, styles)}
    return [line for line in page.lines if id(line) not in dropped]


def prose(page: PageLayout, neighbours: Sequence[Collection[Print]], styles: Styles) -> list[Line]:
    """The lines outside tables, without running heads and feet."""
    return [line for block in page.blocks(furniture(page, neighbours, styles)) for line in block.lines]


def pages_blocks(pages: Sequence[PageLayout], styles: Styles) -> Iterator[list[Block]]:
    for page in pages:
        yield page_blocks(page, neighbours=others(page, pages), styles=styles)


def page_blocks(page: PageLayout, *, neighbours: Sequence[Collection[Print]], styles: Styles) -> list[Block]:
    """Blocks in reading order, classified."""
    blocks = page.blocks(furniture(page, neighbours, styles))
    for block in blocks:
        classify(block, styles=styles)
    demote_contents(blocks)
    if page.number == 1 and styles.lasting is not None:
        demote_front_matter(blocks, styles.lasting)
    if page.tags:
        blocks = with_tags(blocks, page.tags, headings=styles.tagged)
    if not styles.tagged:
        blocks = with_bookmarks(blocks, page.titles)
    blocks = with_joined_code(blocks)
    for block in blocks:
        if block.kind is Kind.HEADING and not block.level:
            block.level = level_of(level_key(block), styles.levels)
    if styles.title_level:
        level_slide(blocks, height=page.height, usual=styles.title_level)
    nest_items(blocks)
    return blocks


def furniture(page: PageLayout, neighbours: Sequence[Collection[Print]], styles: Styles) -> list[Line]:
    """Running heads and feet. The text of a scan keeps them: OCR reads them differently on each page."""
    if page.spans.is_scan:
        return []
    height, size = page.height, styles.body_size
    if not neighbours:
        lonely = lonely_head_or_foot(page.lines, height=height, body_size=size)
        return lonely + [line for line in page.lines if is_folio(line, height=height)]
    return [
        line
        for line, seen in zip(page.lines, page.seen, strict=True)
        if is_furniture(line, seen, height=height, neighbours=neighbours, body_size=size)
    ]


def page_tables(pieces: Sequence[Line], spans: PageSpans, tags: Tags) -> list[Table]:
    """The tables that the author tagged, or those that the layout shows."""
    words = [word for piece in pieces for word in piece.words]
    return tagged_tables(words, tags) or find_tables(pieces, spans)


def assemble(pieces: Sequence[Line], tables: Sequence[Table]) -> list[Block]:
    """Paragraphs in the order of the lines, each table where its first word stands."""
    owner = {id(word): table for table in tables for word in table.words}
    blocks: list[Block] = []
    pending: list[Line] = []
    placed: set[int] = set()
    for piece in pieces:
        table = owner.get(id(piece.words[0]))
        if table is None:
            pending.append(piece)
            continue
        if id(table) in placed:
            continue
        blocks += split_blocks(joined_lines(pending))
        pending = []
        placed.add(id(table))
        blocks.append(Block([], Kind.TABLE, cells=table.cells, area=table.box))
    return blocks + split_blocks(joined_lines(pending))


def classify(block: Block, *, styles: Styles) -> None:
    if block.kind is Kind.TABLE:
        return
    block.kind, block.level = Kind.PARAGRAPH, 0
    if is_code(block) and not styles.typed:
        block.kind = Kind.CODE
    elif is_heading(block, styles=styles):
        block.kind = Kind.HEADING
    elif marker(block.lines[0].text):
        block.kind = Kind.ITEM


def nest_items(blocks: Sequence[Block]) -> None:
    """The depth of a list item is the number of smaller indents open above it."""
    indents: list[float] = []
    for block in blocks:
        if block.kind is not Kind.ITEM:
            indents = []
            continue
        left, slack = block.lines[0].x0, block.size / 2
        while indents and left < indents[-1] - slack:
            indents.pop()
        if not indents or left > indents[-1] + slack:
            indents.append(left)
        block.level = min(len(indents) - 1, MAX_DEPTH)
