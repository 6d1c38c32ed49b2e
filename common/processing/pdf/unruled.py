"""Finds runs of lines that may be a table without any ruled line: rows of pieces whose gaps agree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from common.processing.pdf.lines import Line, same_row
from common.processing.pdf.lists import marker

Gap = tuple[float, float]
MAX_STEP = 3.2  # font sizes between the baselines of two rows of one table
MAX_SINGLE = 2  # lines of one piece in a row inside a table
MIN_ROWS = 3
CLOSE, TOUCH = 0.5, 0.2  # font sizes of white, and of what letters may overlap
LOOK_BACK = 4  # rows that a stray piece may be read too late
LONG_CELL = 60  # letters: a piece that is longer is a line of prose


def unruled_regions(pieces: Sequence[Line]) -> list[list[Line]]:
    """Groups of pieces, each a candidate for a table, in the order of the pieces."""
    rows = chained(pieces)
    found: list[list[Line]] = []
    index = 0
    while index < len(rows):
        if len(rows[index]) < 2:
            index += 1
            continue
        end = grow(rows, index)
        run = rows[index:end]
        if is_table(run):
            found.append([piece for row in run for piece in row])
        index = max(end, index + 1)
    return found


def chained(pieces: Sequence[Line]) -> list[list[Line]]:
    """Pieces that PDFium reads as one line, and strays that it reads some lines too late."""
    rows: list[list[Line]] = []
    for piece in pieces:
        if rows and same_row(rows[-1][-1], piece):
            rows[-1].append(piece)
            continue
        home = next((row for row in rows[-LOOK_BACK:-1] if is_stray_of(row, piece)), None)
        if home is not None:
            home.append(piece)
        else:
            rows.append([piece])
    return rows


def is_stray_of(row: Sequence[Line], piece: Line) -> bool:
    """On the baseline of a row, to the right of it: close by, or one more piece of several."""
    white = piece.x0 - row[-1].x1
    level = abs(row[-1].base - piece.base) < 0.1 * piece.size
    return level and white > -TOUCH * piece.size and (len(row) > 1 or white < CLOSE * piece.size)


def gaps(row: Sequence[Line]) -> list[Gap]:
    ordered = sorted(row, key=lambda piece: piece.x0)
    return [(a.x1, b.x0) for a, b in pairwise(ordered) if b.x0 > a.x1]


def common(left: Sequence[Gap], right: Sequence[Gap]) -> list[Gap]:
    """Stretches that are white in both."""
    return [(max(a, c), min(b, d)) for a, b in left for c, d in right if min(b, d) - max(a, c) > 1]


def grow(rows: Sequence[Sequence[Line]], start: int) -> int:
    """The end of the run that starts at `start`: rows whose gaps agree, with some single lines between."""
    shared = gaps(rows[start])
    end, index, singles = start + 1, start + 1, 0
    while index < len(rows):
        row, above = rows[index], rows[index - 1]
        step = row[0].base - above[0].base
        if not 0 < step <= MAX_STEP * row[0].size:
            break
        if len(row) < 2:
            singles += 1
            if singles > MAX_SINGLE or len(row[0].text) > LONG_CELL:
                break
        else:
            agreed = common(shared, gaps(row))
            if not agreed:
                break
            shared, singles, end = agreed, 0, index + 1
        index += 1
    return end


def is_table(run: Sequence[Sequence[Line]]) -> bool:
    multiple = [row for row in run if len(row) > 1]
    if len(multiple) < MIN_ROWS:
        return False
    texts = [[piece.text for piece in row] for row in multiple]
    if sum(
        bool(marker(row[0] + " ")) or (len(row[0]) == 1 and not row[0].isalnum()) for row in texts
    ) > 0.6 * len(texts):
        return False  # a list: the first piece is the marker
    long = sum(len(text) > LONG_CELL for row in texts for text in row)
    return long <= 0.3 * sum(map(len, texts))
