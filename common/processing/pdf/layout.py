"""The steps from the spans of a page to its blocks, in order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from common.processing.pdf.blocks import Block, Kind, split_blocks
from common.processing.pdf.furniture import Print, fingerprints, is_folio, is_furniture, lonely_head_or_foot
from common.processing.pdf.headings import Styles, body_style, heading_levels, is_heading, level_of, style_key
from common.processing.pdf.lines import Line, joined_lines, split_lines
from common.processing.pdf.lists import marker
from common.processing.pdf.spans import PageSpans
from common.processing.pdf.tables import Table, find_tables

MAX_DEPTH = 5


class PageLayout:
    """The lines of a page, cut once and used by every later step."""

    __slots__ = ("height", "lines", "number", "pieces", "prints", "spans")

    def __init__(self, spans: PageSpans) -> None:
        self.spans = spans
        self.number = spans.number
        self.height = spans.height
        self.pieces = split_lines(spans.words)
        self.lines = joined_lines(self.pieces)
        self.prints = fingerprints(self.lines, height=self.height)

    @classmethod
    def empty(cls, number: int) -> PageLayout:
        """A page that PDFium cannot load."""
        return cls(PageSpans(number, 1.0, 1.0))


def document_styles(pages: Sequence[PageLayout]) -> Styles:
    """What is usual in the sampled pages."""
    size, bold = body_style(line for page in pages for line in page.lines)
    styles = Styles(body_size=size, body_bold=bold)
    blocks: list[Block] = []
    for page in pages:
        others = [other.prints for other in pages if other is not page]
        blocks += page_blocks(page, neighbours=others, styles=styles)
    return Styles(body_size=size, body_bold=bold, levels=heading_levels(blocks))


def page_blocks(page: PageLayout, *, neighbours: Sequence[Collection[Print]], styles: Styles) -> list[Block]:
    """Blocks in reading order, classified."""
    dropped = {id(word) for line in furniture(page, neighbours, styles) for word in line.words}
    pieces = [piece for piece in page.pieces if id(piece.words[0]) not in dropped]
    tables = find_tables(pieces, page.spans)
    blocks = assemble(pieces, tables)
    for block in blocks:
        classify(block, styles=styles)
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
        for line in page.lines
        if is_furniture(line, height=height, neighbours=neighbours, body_size=size)
    ]


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
    if all(line.mono for line in block.lines) and len(block.lines) > 1:
        block.kind = Kind.CODE
    elif is_heading(block, styles=styles):
        block.kind = Kind.HEADING
        block.level = level_of(style_key(block), styles.levels)
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
