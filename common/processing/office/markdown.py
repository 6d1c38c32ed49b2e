"""Writes Markdown blocks: headings, paragraphs, lists and tables with everything escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

_SPECIAL = re.compile(r"[*`]|<(?=[A-Za-z/!?])|\\(?=[!-/:-@\[-`{-~])|(?<!\w)_|_(?!\w)")
_BLOCK_START = re.compile(r"^(#{1,6}\s|[-+>]\s|>|\||(?:=|-){3,}\s*$)")
_NUMBER_START = re.compile(r"^(\d{1,9})([.)])(?=\s)")
_ITEM = re.compile(r"( *)(?:- |\d+\. )")
_SAFE_LINK = re.compile(r"^(?:https?|mailto|ftp|tel):", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Run:
    """A piece of text of one look."""

    text: str
    bold: bool = False
    italic: bool = False
    link: str | None = None


def escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)


def inline(runs: Sequence[Run]) -> str:
    """Runs of one look are joined first, so that **bold** never breaks inside a word."""
    pieces: list[str] = []
    for (bold, italic, link), group in groupby(runs, key=lambda run: (run.bold, run.italic, run.link)):
        text = "".join(run.text for run in group)
        pieces.append(_styled(text, bold=bold, italic=italic, link=link))
    return "".join(pieces)


def _styled(text: str, *, bold: bool, italic: bool, link: str | None) -> str:
    core = text.strip()
    if not core:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    mark = ("**" if bold else "") + ("*" if italic else "")
    styled = f"{mark}{escape(core)}{mark[::-1]}"
    if link and _SAFE_LINK.match(link):
        target = link.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        styled = f"[{styled}]({target})"
    return f"{before}{styled}{after}"


def heading(level: int, text: str) -> str:
    return f"{'#' * max(1, min(6, level))} {' '.join(text.split())}"


def paragraph(text: str) -> str:
    """A paragraph whose lines cannot be taken for something else."""
    lines = (_protect(line.strip()) for line in text.split("\n"))
    return "  \n".join(line for line in lines if line)


def item(level: int, text: str, *, number: int | None = None) -> str:
    marker = "-" if number is None else f"{number}."
    indent = "    " * level
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return f"{indent}{marker} " + f"\n{indent}{' ' * (len(marker) + 1)}".join(lines)


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head. Empty rows and columns are left out."""
    filled = [[_cell(cell) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return ""
    width = max(len(row) for row in filled)
    padded = [[*row, *[""] * (width - len(row))] for row in filled]
    used = [column for column in range(width) if any(row[column] for row in padded)]
    lines = ["| " + " | ".join(row[column] for column in used) + " |" for row in padded]
    lines.insert(1, "|" + " --- |" * len(used))
    return "\n".join(lines)


def quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def join(blocks: Sequence[str]) -> str:
    """Blocks with an empty line between them; items of one list follow each other directly.

    A list that starts on a deeper level is moved left: indented, it would be code.
    """
    text = ""
    list_indent: int | None = None
    for block in filter(None, blocks):
        found = _ITEM.match(block)
        tight = found is not None and list_indent is not None
        if found is None:
            list_indent = None
        elif list_indent is None or len(found[1]) < list_indent:
            list_indent = len(found[1])
        text += ("\n" if tight else "\n\n") if text else ""
        text += _moved_left(block, list_indent) if list_indent else block
    return text


def _moved_left(block: str, spaces: int) -> str:
    return "\n".join(line[spaces:] if line[:spaces].isspace() else line for line in block.split("\n"))


def _protect(line: str) -> str:
    if _BLOCK_START.match(line):
        return "\\" + line
    return _NUMBER_START.sub(r"\1\\\2", line)


def _cell(text: str) -> str:
    lines = text.replace("|", "\\|").split("\n")
    return "<br>".join(" ".join(line.split()) for line in lines if line.strip())
