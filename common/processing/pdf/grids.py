"""Fills a table from its words, once its columns and row bands are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from common.processing.pdf.gutters import BLANK, text_rows
from common.processing.pdf.hyphens import join_lines
from common.processing.pdf.lines import words_text
from common.processing.pdf.links import line_text
from common.processing.pdf.spans import Word

NUMERIC = re.compile(r"[-+−–(<>~≈]*[$€£¥]?\s*\d[\d.,:/'’\s]*\s*[%)*†‡]*|[-–—−]+|n/?a|\.{1,3}", re.IGNORECASE)
WORD_BLANK = 0.35  # font sizes: white up to here is a blank inside a phrase, even where a column ends
TIGHT = 1.5  # font sizes between the baselines of one wrapped cell


@dataclass(slots=True)
class Row:
    """One line of text across a table: the words of each column, and where it stands."""

    base: float
    size: float
    cells: dict[int, list[Word]] = field(default_factory=dict)
    spans: set[int] = field(default_factory=set)  # columns whose text runs into the next one

    def text(self, column: int) -> str:
        return words_text(self.cells.get(column, []))

    def is_numeric(self, column: int) -> bool:
        return NUMERIC.fullmatch(self.text(column).strip()) is not None


def fill_rows(words: Sequence[Word], cuts: Sequence[float], *, blank: float = BLANK) -> list[Row]:
    """Text rows with their words sorted into the columns between `cuts`."""
    rows: list[Row] = []
    for words_of_row in text_rows(words):
        row = Row(words_of_row[0].base, max(word.size for word in words_of_row))
        for piece in pieces(words_of_row, cuts, blank):
            column, spans = column_of(piece[0].x0, max(word.x1 for word in piece), cuts)
            row.cells.setdefault(column, []).extend(piece)
            if spans:
                row.spans.add(column)
        rows.append(row)
    return rows


def pieces(row: Sequence[Word], cuts: Sequence[float], blank: float) -> list[list[Word]]:
    """Words of one row that stand together; a cut in the white between two words parts them."""
    found: list[list[Word]] = []
    for word in row:
        if found:
            last = found[-1][-1]
            white = word.x0 - last.x1
            parted = any(last.x1 - 1 <= cut <= word.x0 + 1 for cut in cuts) and white > WORD_BLANK * word.size
            if not parted and white < blank * word.size * 4:
                found[-1].append(word)
                continue
        found.append([word])
    return found


def column_of(x0: float, x1: float, cuts: Sequence[float]) -> tuple[int, bool]:
    """The column a piece of text stands in, and whether it spans more than one."""
    edges = [float("-inf"), *cuts, float("inf")]
    for index, (left, right) in enumerate(pairwise(edges)):
        inside = min(x1, right) - max(x0, left)
        if inside >= 0.8 * (x1 - x0):
            return index, False
    first = sum(cut <= x0 + 1 for cut in cuts)
    return first, True


def merge_rows(rows: Sequence[Row]) -> Row:
    """Several lines of text as one row of cells."""
    whole = Row(rows[0].base, rows[0].size)
    for row in rows:
        for column, words in row.cells.items():
            whole.cells.setdefault(column, []).extend(words)
        whole.spans |= row.spans
    return whole


def render_cells(rows: Sequence[Row], columns: int) -> list[list[str]]:
    return [[cell_text(row.cells.get(column, [])) for column in range(columns)] for row in rows]


def cell_text(words: Sequence[Word]) -> str:
    if not words:
        return ""
    rows = text_rows(words)
    for row in rows:
        row.sort(key=lambda word: word.order)  # not by place: text may run from right to left
    return join_lines(line_text(row) for row in rows)
