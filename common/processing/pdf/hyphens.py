"""Joins lines into running text: a hyphen that only broke a word at the end of a line goes away."""

from __future__ import annotations

from collections.abc import Iterable


def join_lines(lines: Iterable[str]) -> str:
    joined = ""
    for line in lines:
        joined = join_two(joined, line)
    return joined


def join_two(left: str, right: str) -> str:
    """`left` and `right` with a blank between them, or none where a word was broken."""
    if not left or not right:
        return left or right
    if not left.endswith(("-", "\u2010")) or left.endswith((" -", " \u2010")) or not right[0].isalpha():
        return f"{left} {right}"
    if len(left) < 2 or not left[-2].isalpha():
        return f"{left}{right}" if left[-2:-1].isalnum() else f"{left} {right}"
    stem = left[:-1].rsplit(None, 1)[-1]
    # "PDF-Datei", "more-or-less", "Haupt- und": only a lower-case ending after a plain stem was broken.
    if right[0].islower():
        if right.split(None, 1)[0].rstrip(",") in {"und", "oder", "and", "or", "bzw."}:
            return f"{left} {right}"
        return f"{left}{right}" if "-" in stem else f"{left[:-1]}{right}"
    return f"{left}{right}"
