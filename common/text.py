"""Small things every writer of Markdown needs."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Without line breaks and runs of blanks, so that a value cannot start a heading or a list."""
    return " ".join(text.split())
