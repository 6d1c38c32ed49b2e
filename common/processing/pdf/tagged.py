"""Uses what the structure tree of a tagged page says: its headings, its list items and its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.grids import cell_text, column_of
from common.processing.pdf.gutters import gutters
from common.processing.pdf.lines import Line
from common.processing.pdf.spans import Box, PageSpans, Word
from common.processing.pdf.structure import NO_TAG, Cell, Tag
from common.processing.pdf.tables import Table

COVERED = 0.8  # share of a page's letters that a tree must know to be trusted
MOSTLY = 0.5  # share of letters from which headings everywhere mean that the tree is wrong

Tags = Mapping[int, Tag]


def trusted_tags(spans: PageSpans) -> Tags:
    """The tags of a page, or none where the tree leaves out much of the text."""
    if not spans.tags:
        return {}
    total = sum(len(word.text) for word in spans.words)
    known = sum(len(word.text) for word in spans.words if word.mark in spans.tags)
    return spans.tags if total and known >= COVERED * total else {}


def names_headings(pages: Iterable[PageSpans]) -> bool:
    """Whether the author has tagged headings, and not everything as a heading."""
    total = headings = 0
    for spans in pages:
        tags = trusted_tags(spans)
        for word in spans.words if tags else ():
            total += len(word.text)
            headings += len(word.text) if tags.get(word.mark, NO_TAG).heading else 0
    return 0 < headings < MOSTLY * total


def tagged_tables(words: Sequence[Word], tags: Tags) -> list[Table]:
    """Tables as their author made them."""
    tables: dict[int, dict[Cell, list[Word]]] = {}
    for word in words:
        cell = tags.get(word.mark, NO_TAG).cell
        if cell is not None:
            tables.setdefault(cell.table, {}).setdefault(cell, []).append(word)
    return [table for cells in tables.values() if (table := filled_table(cells)) is not None]


def filled_table(cells: Mapping[Cell, list[Word]]) -> Table | None:
    """Rows as tagged. Columns by place: PDFium's tree of a page lacks the cells that are empty."""
    rows: dict[int, list[list[Word]]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.row, cell.number)):
        rows.setdefault(cell.row, []).append(cells[cell])
    sides = [[extent(words) for words in row] for row in rows.values()]
    cuts = [(left + right) / 2 for left, right in gutters(sides, min_width=1.0, support=1)]
    if len(rows) < 2 or not cuts:
        return None
    words = [word for part in cells.values() for word in part]
    top, bottom = min(word.y0 for word in words), max(word.y1 for word in words)
    left, right = extent(words)
    return Table(Box(left, top, right, bottom), [placed(row, cuts) for row in rows.values()], words)


def extent(words: Sequence[Word]) -> tuple[float, float]:
    return min(word.x0 for word in words), max(word.x1 for word in words)


def placed(row: Sequence[Sequence[Word]], cuts: Sequence[float]) -> list[str]:
    """The texts of a row's cells in their columns; two cells never share one."""
    texts = [""] * (len(cuts) + 1)
    free = 0
    for words in sorted(row, key=extent):
        column, _ = column_of(*extent(words), cuts)
        column = max(column, free)
        if column < len(texts):
            texts[column] = cell_text(words)
        else:
            texts[-1] = f"{texts[-1]} {cell_text(words)}"
        free = column + 1
    return texts


def line_tag(line: Line, tags: Tags) -> Tag:
    """The tag of most letters of a line."""
    count: Counter[Tag] = Counter()
    for word in line.words:
        count[tags.get(word.mark, NO_TAG)] += len(word.text)
    return count.most_common(1)[0][0]


def with_tags(blocks: Iterable[Block], tags: Tags, *, headings: bool) -> list[Block]:
    """Blocks cut and joined at the borders of tagged headings and items; `headings`: no other text is one."""
    result: list[Block] = []
    key: tuple[int, int] = (0, 0)
    for block in blocks:
        if block.kind is Kind.TABLE:
            result.append(block)
            key = (0, 0)
            continue
        fresh = True
        for line in block.lines:
            tag = line_tag(line, tags)
            here = (tag.heading, tag.item)
            if result and here == key and (not fresh or tag.heading):
                result[-1].lines.append(line)
            else:
                result.append(tagged_block(block, line, tag, headings=headings))
            key, fresh = here, False
    return result


def tagged_block(source: Block, line: Line, tag: Tag, *, headings: bool) -> Block:
    if tag.heading and headings:
        return Block([line], Kind.HEADING, tag.level)
    if tag.item and source.kind in (Kind.PARAGRAPH, Kind.HEADING):
        return Block([line], Kind.ITEM)
    if source.kind is Kind.HEADING and headings:
        return Block([line])
    return Block([line], source.kind, source.level)
