"""Tables."""
from __future__ import annotations
from collections.abc import Sequence
from dataclasses import dataclass
from common.processing.pdf.lines import Line
from common.processing.pdf.spans import Box, PageSpans, Word


@dataclass(slots=True)
class Table:
    """Cells by row and column; a spanning cell has its text in its first place."""

    box: Box
    cells: list[list[str]]
    words: list[Word]


def find_tables(pieces: Sequence[Line], spans: PageSpans) -> list[Table]:
    return []
