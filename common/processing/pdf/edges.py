"""Rows just outside the rules of a table: a head above the first rule, a last row without a background."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from common.processing.pdf.fields import Field
from common.processing.pdf.gutters import intervals, text_rows
from common.processing.pdf.spans import Box, Word

REACH = 2.2  # font sizes of white between a rule and the baseline of such a row
MAX_ROWS = 2  # on either side
SLACK = 2.0  # points by which a row may be wider than its table
FAR = 1e6
FILLED = 0.5  # share of the columns that such a row fills


def edge_words(
    box: Box, cuts: Sequence[float], field: Field, used: Collection[int], *, size: float
) -> list[Word]:
    """The words of rows above and below `box` whose pieces stand in its columns."""
    found: list[Word] = []
    for is_above in (True, False):
        edge = box.y0 if is_above else box.y1
        for _ in range(MAX_ROWS):
            strip = (edge - REACH * size, edge) if is_above else (edge, edge + REACH * size)
            row = nearest_row(field, *strip, last=is_above)
            if not fits(row, box, cuts) or any(id(word) in used for word in row):
                break
            found += row
            edge = min(word.y0 for word in row) if is_above else max(word.y1 for word in row)
    return found


def nearest_row(field: Field, top: float, bottom: float, *, last: bool) -> list[Word]:
    rows = text_rows(field.inside(Box(-FAR, top, FAR, bottom)))
    return rows[-1 if last else 0] if rows else []


def fits(row: Sequence[Word], box: Box, cuts: Sequence[float]) -> bool:
    """Whether the pieces of a row fill most of the columns, none of them more than one."""
    if not row or row[0].x0 < box.x0 - SLACK or max(word.x1 for word in row) > box.x1 + SLACK:
        return False
    parts = intervals(row)
    if len(parts) < 2 or len(parts) < FILLED * (len(cuts) + 1):
        return False
    return not any(a + 1 < cut < b - 1 for a, b in parts for cut in cuts)
