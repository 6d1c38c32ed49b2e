"""Finds the white between columns: where, row after row, no word stands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from common.processing.pdf.spans import Word

Interval = tuple[float, float]
BLANK = 0.5  # font sizes of white that may lie between two words of one cell
CROSSED = 0.2  # share of rows that may run across a gutter: spanning cells


def text_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words by baseline, top to bottom, left to right; small shifts belong to the row."""
    rows: list[list[Word]] = []
    bases: list[float] = []
    for word in sorted(words, key=lambda word: word.base):
        if rows and word.base - bases[-1] <= 0.45 * min(word.size, rows[-1][0].size):
            rows[-1].append(word)
            continue
        rows.append([word])
        bases.append(word.base)
    for row in rows:
        row.sort(key=lambda word: word.x0)
    return rows


def intervals(row: Sequence[Word], *, blank: float = BLANK) -> list[Interval]:
    """The stretches of a row that are covered by text; `row` runs from left to right."""
    found: list[Interval] = []
    for word in row:
        if found and word.x0 - found[-1][1] < blank * word.size:
            found[-1] = (found[-1][0], max(found[-1][1], word.x1))
        else:
            found.append((word.x0, word.x1))
    return found


def gutters(rows: Sequence[Sequence[Interval]], *, min_width: float, support: int = 2) -> list[Interval]:
    """White stretches that (nearly) all rows of two or more cells leave free, text on both sides."""
    split = [row for row in rows if len(row) > 1]
    if len(split) < support:
        return []
    allowed = int(CROSSED * len(split))
    free = [gap for gap in low_stretches(split, allowed) if gap[1] - gap[0] >= min_width]
    return supported(split, free, support)


def low_stretches(rows: Sequence[Sequence[Interval]], allowed: int) -> list[Interval]:
    """Where at most `allowed` rows have text; of each such stretch the part that is crossed least."""
    events = sorted([(a, 1) for row in rows for a, _ in row] + [(b, -1) for row in rows for _, b in row])
    found: list[Interval] = []
    depth = 0
    best: tuple[int, float, float] | None = None
    for (x, step), (after, _) in pairwise(events):
        depth += step
        if depth > allowed:
            if best is not None:
                found.append(best[1:])
            best = None
        elif after > x and (best is None or (depth, x - after) < (best[0], best[1] - best[2])):
            best = (depth, x, after)
    return found


def supported(rows: Sequence[Sequence[Interval]], gaps: Sequence[Interval], support: int) -> list[Interval]:
    """Gutters with text of at least `support` rows in the column to the left and to the right."""
    kept = list(gaps)
    while kept:
        index = thin_column(rows, kept, support)
        if index is None:
            break
        # What too few rows fill is part of its nearer neighbour.
        options = [kept[i] for i in (index - 1, index) if 0 <= i < len(kept)]
        kept.remove(min(options, key=lambda gap: gap[1] - gap[0]))
    return kept


def thin_column(rows: Sequence[Sequence[Interval]], gaps: Sequence[Interval], support: int) -> int | None:
    """The first column that fewer than `support` rows fill."""
    edges = [float("-inf"), *((a + b) / 2 for a, b in gaps), float("inf")]
    for index, (left, right) in enumerate(pairwise(edges)):
        if sum(any(left <= a and b <= right for a, b in row) for row in rows) < support:
            return index
    return None
