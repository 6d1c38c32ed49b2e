"""Joins the Markdown of pages: paragraphs and tables that a page break cut become whole again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from common.processing.pdf.hyphens import join_two

SPECIAL = re.compile(r"^\s*(#{1,6} |[-*+] |\d{1,3}[.)] |\||```|>|!\[)")
FINISHED = re.compile(r"[.!?:;。…\"”»)\]]\s*$")


def join_pages(pages: Sequence[str]) -> str:
    joined: list[str] = []
    for page in pages:
        blocks = split_markdown(page)
        if joined and blocks:
            whole = join_blocks(joined[-1], blocks[0])
            if whole is not None:
                joined[-1] = whole
                blocks = blocks[1:]
        joined += blocks
    return "\n\n".join(joined) + "\n" if joined else ""


def split_markdown(page: str) -> list[str]:
    """Blocks of a page; a blank line inside a code fence parts nothing."""
    blocks: list[str] = []
    fenced = False
    for part in page.split("\n\n"):
        if fenced:
            blocks[-1] += f"\n\n{part}"
        elif part.strip():
            blocks.append(part)
        fenced ^= part.count("```") % 2 == 1
    return blocks


def join_blocks(left: str, right: str) -> str | None:
    """The two as one block, or None where they are two."""
    if left.startswith("|") and right.startswith("|"):
        return join_tables(left.split("\n"), right.split("\n"))
    if SPECIAL.match(left) or SPECIAL.match(right) or "\n" in left or FINISHED.search(left):
        return None
    return join_two(left, right) if right[0].islower() else None


def join_tables(upper: list[str], lower: list[str]) -> str | None:
    """A table goes on when the next page starts with one of as many columns; a repeated head is dropped."""
    if upper[1] != lower[1]:
        return None
    rest = lower[2:] if upper[0] == lower[0] else [lower[0], *lower[2:]]
    return "\n".join(upper + rest)
