"""Decides which lines of text are one row of a table: by the rules around them, and where cells wrap."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from common.processing.pdf.grids import TIGHT, Row, merge_rows
from common.processing.pdf.rules import TOUCH, Rule

MANY = 0.4  # bands per line of text from which a table counts as ruled row by row
MANY_IN_GRID = 0.2


def band_rows(
    rows: Sequence[Row], across: Sequence[Rule], edges: Sequence[float], *, grid: bool
) -> list[Row]:
    """Rows of cells from lines of text. `edges` are the sides of the columns; a `grid` also has vertical
    lines, so that a cell without a line through it is one cell however many lines of text it holds."""
    levels = rule_levels(across)
    bands = split_bands(rows, levels)
    if grid or len(levels) > 2:
        lift_spanning(bands, across, edges, grid=grid)
    filled = [band for _, band in sorted(bands.items()) if any(row.cells for row in band)]
    share = MANY_IN_GRID if grid else MANY
    many = len(filled) >= 3 and len(filled) >= share * len(rows)
    result: list[Row] = []
    for band in filled:
        band = fold_centred(band)
        if len(band) == 1:
            result += band
        elif many and not has_records(band):
            result += [merge_rows(part) for part in below_heads(band)]
        else:
            result += wrapped(band)
    return with_whole_head(result)


def rule_levels(across: Sequence[Rule]) -> list[float]:
    """The heights at which rules run, near ones as one."""
    levels: list[float] = []
    for rule in sorted(across):
        if not levels or rule.at - levels[-1] > TOUCH:
            levels.append(rule.at)
    return levels


def split_bands(rows: Sequence[Row], levels: Sequence[float]) -> dict[int, list[Row]]:
    """Lines of text by the number of rules above them."""
    bands: dict[int, list[Row]] = {}
    for row in rows:
        bands.setdefault(bisect(levels, row.base - row.size / 4), []).append(row)
    return bands


def lift_spanning(
    bands: dict[int, list[Row]], across: Sequence[Rule], edges: Sequence[float], *, grid: bool
) -> None:
    """Text of a cell that spans several bands moves to the first of them."""
    levels = rule_levels(across)
    for column, (left, right) in enumerate(pairwise(edges)):
        for group in spanning_groups(across, levels, left, right):
            holders = [band for band in group if any(column in row.cells for row in bands.get(band, []))]
            if not holders or (len(holders) > 1 and not grid) or holders == [group[0]]:
                continue
            if group[0] not in bands:
                continue
            target = bands[group[0]][0]
            for band in holders:
                for row in bands[band]:
                    if row is not target and column in row.cells:
                        target.cells.setdefault(column, []).extend(row.cells.pop(column))
                        target.spans |= row.spans & {column}


def spanning_groups(
    across: Sequence[Rule], levels: Sequence[float], left: float, right: float
) -> list[list[int]]:
    """Bands of one column that no rule parts, where there are at least two."""
    groups: list[list[int]] = [[1]]
    for index, level in enumerate(levels[1:-1], start=2):
        if is_ruled(across, level, left, right):
            groups.append([index])
        else:
            groups[-1].append(index)
    return [group for group in groups if len(group) > 1]


def is_ruled(across: Sequence[Rule], level: float, left: float, right: float) -> bool:
    return any(
        abs(rule.at - level) <= TOUCH and min(rule.end, right) - max(rule.start, left) > 0.5 * (right - left)
        for rule in across
    )


def with_whole_head(rows: list[Row]) -> list[Row]:
    """A head whose cells stand on the bottom line: what wraps begins above the first column's cell."""
    if len(rows) < 3 or not is_head_top(rows[0], rows[1]):
        return rows
    return [merge_rows(rows[:2]), *rows[2:]]


def is_head_top(upper: Row, lower: Row) -> bool:
    if (
        lower.base - upper.base > TIGHT * lower.size
        or upper.spans
        or set(upper.cells) != set(lower.cells) - {0}
    ):
        return False
    texts = [lower.text(column) for column in upper.cells]
    return (
        bool(texts)
        and any(text[0].islower() for text in texts)
        and not any(map(lower.is_numeric, lower.cells))
    )


def below_heads(band: Sequence[Row]) -> list[list[Row]]:
    """A band parted below heads that span the columns which the next line fills one by one."""
    parts: list[list[Row]] = [[band[0]]]
    for above, row in pairwise(band):
        if any({column, column + 1} <= set(row.cells) for column in above.spans):
            parts.append([])
        parts[-1].append(row)
    return parts


def has_records(band: Sequence[Row]) -> bool:
    """Numbers do not wrap: where two lines of a column are numbers, the lines are rows."""
    columns = {column for row in band for column in row.cells}
    return any(sum(row.is_numeric(column) for row in band) > 1 for column in columns)


def fold_centred(band: Sequence[Row]) -> list[Row]:
    """A line half-way between two others that shares no column with them holds cells that span both."""
    rows = list(band)
    for above, row, below in zip(rows, rows[1:], rows[2:], strict=False):
        close = below.base - above.base < TIGHT * row.size
        if close and row.cells and not set(row.cells) & (set(above.cells) | set(below.cells)):
            above.cells |= row.cells
            above.spans |= row.spans
            row.cells = {}
    return [row for row in rows if row.cells]


def wrapped(band: Sequence[Row]) -> list[Row]:
    """Lines that continue the cells above them are merged into their row."""
    rows = [row for row in band if row.cells]
    steps = [below.base - above.base for above, below in pairwise(rows)]
    usual = median(steps) if steps else 0.0
    groups: list[list[Row]] = []
    for row in rows:
        if groups and continues(groups[-1], row, usual):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [merge_rows(group) for group in groups]


def continues(group: Sequence[Row], row: Row, usual: float) -> bool:
    last = group[-1]
    step = row.base - last.base
    if step > TIGHT * row.size:
        return False
    above = {column for other in group for column in other.cells}
    numeric = [column for column in row.cells if row.is_numeric(column)]
    if any(any(other.is_numeric(column) for other in group) for column in numeric):
        return False
    if 0 not in row.cells and set(row.cells) <= above and not numeric:
        return True
    if set(row.cells) == {0}:
        return row.text(0)[:1].islower() and step <= usual * 1.1
    return False
