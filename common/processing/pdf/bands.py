"""Decides which lines of text are one row of a table: between rules, and where cells wrap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from common.processing.pdf.grids import TIGHT, Row, merge_rows
from common.processing.pdf.rules import Rule


def band_rows(
    rows: Sequence[Row], full: Sequence[float], partial: Sequence[Rule], cuts: Sequence[float]
) -> list[Row]:
    """Rows of cells, top to bottom."""
    bands = split_bands(rows, full)
    many = len(bands) >= 3 and len(bands) >= 0.4 * len(rows)
    result: list[Row] = []
    for band in bands:
        if len(band) == 1:
            result += band
        elif many and not has_records(band):
            result += split_partial(band, partial)
        else:
            result += wrapped(band, partial)
    return result


def split_bands(rows: Sequence[Row], full: Sequence[float]) -> list[list[Row]]:
    """Rows between two lines that cross the whole table."""
    bands: list[list[Row]] = []
    edge = 0
    for row in rows:
        middle = row.base - row.size / 4
        passed = sum(at < middle for at in full)
        if bands and passed == edge:
            bands[-1].append(row)
        else:
            bands.append([row])
            edge = passed
    return bands


def has_records(band: Sequence[Row]) -> bool:
    """Numbers do not wrap: where two lines of a column are numbers, the lines are rows."""
    columns = {column for row in band for column in row.cells}
    return any(sum(row.is_numeric(column) for row in band) > 1 for column in columns)


def split_partial(band: Sequence[Row], partial: Sequence[Rule]) -> list[Row]:
    """A line across some columns parts the band there: the head of several columns, a spanning cell."""
    middles = [row.base - row.size / 4 for row in band]
    inner = sorted({round(rule.at) for rule in partial if middles[0] < rule.at < middles[-1]})
    result: list[Row] = []
    for group in split_bands(band, inner):
        result.append(merge_rows(group))
    return result


def wrapped(band: Sequence[Row], partial: Sequence[Rule]) -> list[Row]:
    """Lines that continue the cells above them are merged into their row."""
    steps = [below.base - above.base for above, below in pairwise(band)]
    usual = median(steps) if steps else 0.0
    groups: list[list[Row]] = []
    for row in band:
        if groups and continues(groups[-1], row, usual, partial):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [merge_rows(group) for group in groups]


def continues(group: Sequence[Row], row: Row, usual: float, partial: Sequence[Rule]) -> bool:
    last = group[-1]
    step = row.base - last.base
    if step > TIGHT * row.size or any(last.base < rule.at < row.base - row.size / 2 for rule in partial):
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
