"""Finds tables: by ruled lines, by stacked horizontal rules, and by columns of white alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from common.processing.pdf.bands import band_rows
from common.processing.pdf.edges import edge_words
from common.processing.pdf.fields import Field
from common.processing.pdf.grids import Row, fill_rows, render_cells
from common.processing.pdf.gutters import Interval, gutters, intervals, text_rows
from common.processing.pdf.lines import Line
from common.processing.pdf.lists import is_bullet, marker
from common.processing.pdf.rules import TOUCH, Rule, Ruling, regions, ruling, without_underlines
from common.processing.pdf.spans import Box, PageSpans, Word, union
from common.processing.pdf.unruled import unruled_regions


@dataclass(slots=True)
class Table:
    """Cells by row and column; a spanning cell has its text in its first place."""

    box: Box
    cells: list[list[str]]
    words: list[Word]


STRONG = 0.3  # share of a region's height that a vertical line must run to part columns
SPLIT_SHARE = 0.4  # share of lines that consist of several pieces, in a table without vertical lines
MIN_RULE = 50.0  # points
ROW_HEIGHT = 2.2  # font sizes between the rules around one line of cells
CELL_SHARE = 0.5  # of a table's width that a cell takes at most where it stands alone in its row
CROSSING = 0.35  # share of all rows that may run across a gutter
SPLIT_SUPPORT = 0.6  # share of a strip's rows that must show a gutter before it parts the strip


def find_tables(pieces: Sequence[Line], spans: PageSpans) -> list[Table]:
    """All tables of a page; a word belongs to one at most."""
    words = [word for piece in pieces for word in piece.words if word.upright]
    if len(words) < 4:
        return []
    lines = ruling(spans.strokes, spans.fills, width=spans.width, height=spans.height)
    lines = Ruling(without_underlines(lines.across, words), lines.down)
    tables: list[Table] = []
    used: set[int] = set()
    field = Field(words)
    for region in [*regions_of_grid(lines), *stacks(lines, field)]:
        table = ruled_table(region, field, used)
        if table is not None:
            tables.append(table)
            used |= {id(word) for word in table.words}
    free = [piece for piece in pieces if not any(id(word) in used for word in piece.words)]
    for group in unruled_regions(free):
        table = unruled_table(group)
        if table is not None:
            tables.append(table)
    return tables


def regions_of_grid(lines: Ruling) -> list[Ruling]:
    """Regions that lines divide both ways, or at least frame."""
    return [
        region
        for region in regions(lines)
        if len(region.across) >= 2
        and len(region.down) >= 1
        and region.box.height > 12
        and region.box.width > 30
    ]


def stacks(lines: Ruling, field: Field) -> list[Ruling]:
    """Horizontal rules of about one extent above each other: tables without vertical lines."""
    found: list[list[Rule]] = []
    for rule in sorted(lines.across):
        for stack in found:
            if abs(stack[0].start - rule.start) < 2 * TOUCH and abs(stack[0].end - rule.end) < 2 * TOUCH:
                stack.append(rule)
                break
        else:
            if rule.length > MIN_RULE:
                found.append([rule])
    return [
        Ruling([*part, *within(lines.across, Ruling(part, []))], [])
        for stack in found
        for part in tabular_parts(stack, field)
    ]


def tabular_parts(stack: Sequence[Rule], field: Field) -> list[list[Rule]]:
    """Runs of a stack's rules with rows of cells between them; page-wide rules around prose fall away."""
    parts: list[list[Rule]] = []
    current: list[Rule] = []
    above: list[Word] = []
    for upper, lower in pairwise(stack):
        inside = field.inside(Box(upper.start, upper.at, upper.end, lower.at))
        if not inside or is_tabular(inside) or (current and is_single_cell(inside, above, upper, lower)):
            current = current or [upper]
            current.append(lower)
            above = inside or above
            continue
        if current:
            parts.append(current)
        current = []
    return [part for part in [*parts, current] if part]


def is_single_cell(words: Sequence[Word], above: Sequence[Word], upper: Rule, lower: Rule) -> bool:
    """One line like that `above` it, filling the height between two rules, so short that the other cells
    of its row may be empty."""
    first = words[0]
    if not above or above[-1].font != first.font or above[-1].size != first.size:
        return False
    if len(text_rows(words)) != 1 or lower.at - upper.at > ROW_HEIGHT * first.size:
        return False
    return max(word.x1 for word in words) - min(word.x0 for word in words) < CELL_SHARE * upper.length


def is_tabular(words: Sequence[Word]) -> bool:
    """Most lines consist of several pieces, and few run across the white between them."""
    rows = [intervals(row) for row in text_rows(words)]
    split = sum(len(row) > 1 for row in rows)
    if split < SPLIT_SHARE * len(rows):
        return False
    return len(rows) < 3 or bool(strip_cuts(words, ruled=False))


def within(rules: Sequence[Rule], stack: Ruling) -> list[Rule]:
    """Shorter rules inside a stack: under the head of several columns."""
    box = stack.box
    return [
        rule
        for rule in rules
        if rule not in stack.across
        and box.y0 < rule.at < box.y1
        and box.x0 - TOUCH <= rule.start
        and rule.end <= box.x1 + TOUCH
    ]


def ruled_table(region: Ruling, field: Field, used: Collection[int]) -> Table | None:
    box = region.box
    inside = [word for word in field.inside(box) if id(word) not in used]
    if len(inside) < 4:
        return None
    cuts = column_cuts(region, inside)
    if not cuts:
        return None
    if not region.down:
        edge = edge_words(box, cuts, field, used, size=median(word.size for word in inside))
        box = union([box, *(Box(word.x0, word.y0, word.x1, word.y1) for word in edge)])
        inside += edge
    rows = fill_rows(inside, cuts)
    merged = band_rows(rows, region.across, [box.x0, *cuts, box.x1], grid=len(region.down) > 1)
    return finished(merged, cuts, box, inside)


def column_cuts(region: Ruling, words: Sequence[Word]) -> list[float]:
    """Where columns part: at vertical lines, and at gutters of the text between them."""
    box = region.box
    height: dict[float, float] = {}
    for rule in region.down:
        at = next((x for x in height if abs(x - rule.at) <= TOUCH), rule.at)
        height[at] = height.get(at, 0.0) + rule.length
    lines = [x for x, tall in height.items() if tall >= STRONG * box.height]
    cuts = sorted(x for x in lines if box.x0 + TOUCH < x < box.x1 - TOUCH)
    edges = [box.x0 - TOUCH, *cuts, box.x1 + TOUCH]
    for left, right in pairwise(edges):
        strip = [word for word in words if left <= (word.x0 + word.x1) / 2 <= right]
        cuts += strip_cuts(strip, ruled=bool(lines))
    return sorted(cuts)


def strip_cuts(words: Sequence[Word], *, ruled: bool) -> list[float]:
    if not words:
        return []
    rows = [intervals(row) for row in text_rows(words)]
    split = sum(len(row) > 1 for row in rows)
    if ruled and (split < 3 or split < SPLIT_SUPPORT * len(rows)):
        return []
    size = median(word.size for word in words)
    cuts = [(a + b) / 2 for a, b in gutters(rows, min_width=0.3 * size)]
    return [cut for cut in cuts if crossing(rows, cut) <= CROSSING * len(rows)]


def crossing(rows: Sequence[Sequence[Interval]], cut: float) -> int:
    return sum(any(a < cut < b for a, b in row) for row in rows)


def unruled_table(lines: Sequence[Line]) -> Table | None:
    words = [word for line in lines for word in line.words]
    size = median(word.size for word in words)
    rows = [intervals(row) for row in text_rows(words)]
    cuts = [(a + b) / 2 for a, b in gutters(rows, min_width=0.7 * size)]
    if not cuts:
        return None
    box = union([line.box for line in lines])
    merged = band_rows(fill_rows(words, cuts), [], [box.x0, *cuts, box.x1], grid=False)
    return finished(merged, cuts, box, words)


def finished(rows: Sequence[Row], cuts: Sequence[float], box: Box, words: Sequence[Word]) -> Table | None:
    """The table without empty columns, or None where it is none."""
    columns = [c for c in range(len(cuts) + 1) if any(row.cells.get(c) for row in rows)]
    cells = [[row[c] for c in columns] for row in render_cells(rows, len(cuts) + 1)]
    cells = [row for row in cells if any(row)]
    if len(columns) < 2 or len(cells) < 2:
        return None
    if len(columns) == 2 and all(is_bullet_cell(row[0]) for row in cells):
        return None  # a list whose bullets stand apart
    filled = sum(bool(cell) for row in cells for cell in row)
    if filled < 4 or sum(sum(map(bool, row)) > 1 for row in cells) < 2:
        return None
    return Table(box, cells, list(words))


def is_bullet_cell(cell: str) -> bool:
    return not cell or (marker(f"{cell} ") == cell and is_bullet(cell))
