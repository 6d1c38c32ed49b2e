"""Headings by the bookmarks of a file: its author has named them and the pages they stand on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

import pypdfium2

from common.processing.pdf.blocks import Block, Kind

MAX_BOOKMARKS = 5_000
MAX_PIECES = 4  # blocks or lines that may make up one heading
MIN_LETTERS = 2
NO_LETTERS = re.compile(r"[\W_]+")


def read_bookmarks(document: pypdfium2.PdfDocument) -> dict[int, list[str]]:
    """Titles by the number of the page they lead to."""
    found: dict[int, list[str]] = {}
    for mark in islice(document.get_toc(), MAX_BOOKMARKS):
        target = mark.get_dest()
        index = target.get_index() if target is not None else None
        if index is not None and index >= 0:
            found.setdefault(index + 1, []).append(mark.get_title())
    return found


def with_bookmarks(blocks: Sequence[Block], titles: Iterable[str]) -> list[Block]:
    """The blocks, those with a bookmark's title as headings: cut out of a longer paragraph, or joined."""
    result = list(blocks)
    openings: dict[int, str] = {}  # how lines begin, by their identity: pages have many lines and many titles
    for title in titles:
        wanted = bare(title)
        if len(wanted) >= MIN_LETTERS:
            mark_title(result, wanted, openings)
    return result


def bare(text: str) -> str:
    """Letters alone, without the number a heading may or may not carry."""
    letters = NO_LETTERS.sub("", text).casefold()
    return letters.lstrip("0123456789") or letters


def mark_title(blocks: list[Block], wanted: str, openings: dict[int, str]) -> None:
    """Make the first place that reads `wanted` a heading."""
    for index, block in enumerate(blocks):
        if block.kind is Kind.TABLE:
            continue
        line = block.lines[0]
        opening = openings.get(id(line))
        if opening is None:
            opening = openings[id(line)] = bare(line.text)
        if not wanted.startswith(opening):
            continue
        count = leading_lines(block, wanted)
        if count:
            rest = block.lines[count:]
            blocks[index] = Block(block.lines[:count], Kind.HEADING)
            if rest:
                blocks.insert(index + 1, Block(rest))
            return
        end = joined_end(blocks, index, wanted)
        if end:
            lines = [line for part in blocks[index:end] for line in part.lines]
            blocks[index:end] = [Block(lines, Kind.HEADING)]
            return


def leading_lines(block: Block, wanted: str) -> int:
    """How many lines at the start of a block read `wanted`; 0 where none do."""
    text = ""
    for count, line in enumerate(block.lines[:MAX_PIECES], start=1):
        text += line.text
        if bare(text) == wanted:
            return count
    return 0


def joined_end(blocks: Sequence[Block], start: int, wanted: str) -> int:
    """Where the run of blocks of one size ends that together read `wanted`; 0 where there is none."""
    first = blocks[start]
    text = first.text
    for end in range(start + 1, min(start + MAX_PIECES, len(blocks))):
        after = blocks[end]
        if after.kind is Kind.TABLE or abs(after.size - first.size) > 0.1 * first.size:
            return 0
        text += after.text
        if bare(text) == wanted:
            return end + 1
    return 0
