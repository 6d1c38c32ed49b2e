"""Reads the structure tree of a tagged page: to which heading, list item or table cell a text belongs."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as raw

MAX_ELEMENTS = 20_000
MAX_DEPTH = 40
NAME_BYTES = 128
HEADING = re.compile(r"H([1-6])?")
CELLS = frozenset({"TD", "TH"})


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a tagged table: the numbers of its elements."""

    table: int
    row: int
    number: int


@dataclass(frozen=True, slots=True)
class Tag:
    """What the author's tree says about a piece of text. Elements are numbered in the order of the tree."""

    heading: int = 0  # the number of the heading element
    level: int = 0  # of the heading; 0 where the tree does not say
    item: int = 0  # the number of the innermost list item
    cell: Cell | None = None


NO_TAG = Tag()


def read_structure(page: Any) -> dict[int, Tag]:
    """Tags by marked-content id; empty for a page without a tree."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        reader = _TreeReader()
        for index in range(max(raw.FPDF_StructTree_CountChildren(tree), 0)):
            reader.element(raw.FPDF_StructTree_GetChildAtIndex(tree, index), NO_TAG, 0)
        return reader.tags
    finally:
        raw.FPDF_StructTree_Close(tree)


class _TreeReader:
    """Walks the elements of one page, outer tags handed down to inner ones."""

    def __init__(self) -> None:
        self.tags: dict[int, Tag] = {}
        self._count = 0
        self._buffer = ctypes.create_string_buffer(NAME_BYTES)
        self._table = self._row = 0

    def element(self, element: Any, outer: Tag, depth: int) -> None:
        self._count += 1
        if not element or depth > MAX_DEPTH or self._count > MAX_ELEMENTS:
            return
        number, kind, above = self._count, self._kind(element), (self._table, self._row)
        heading = HEADING.fullmatch(kind)
        tag = outer
        if heading or kind == "Title":
            level = int(heading[1] or 0) if heading else 1
            tag = Tag(number, level, outer.item, outer.cell)
        elif kind == "LI":
            tag = Tag(outer.heading, outer.level, number, outer.cell)
        elif kind == "Table":
            self._table = number
        elif kind == "TR":
            self._row = number
        elif kind in CELLS and self._table:
            tag = Tag(outer.heading, outer.level, outer.item, Cell(self._table, self._row, number))
        self._children(element, tag, depth)
        if kind == "Table":
            self._table, self._row = above

    def _children(self, element: Any, tag: Tag, depth: int) -> None:
        for index in range(max(raw.FPDF_StructElement_CountChildren(element), 0)):
            mark = raw.FPDF_StructElement_GetChildMarkedContentID(element, index)
            if mark >= 0:
                self.tags[mark] = tag
                continue
            child = raw.FPDF_StructElement_GetChildAtIndex(element, index)
            if child:
                self.element(child, tag, depth + 1)

    def _kind(self, element: Any) -> str:
        size = raw.FPDF_StructElement_GetType(element, self._buffer, NAME_BYTES)
        return self._buffer.raw[: size - 2].decode("utf-16-le", "replace") if 2 < size <= NAME_BYTES else ""
