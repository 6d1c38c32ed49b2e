"""Small things every writer of Markdown needs."""

from __future__ import annotations

from typing import Any


def one_line(text: str) -> str:
    """Without line breaks and runs of blanks, so that a value cannot start a heading or a list."""
    return " ".join(text.split())


def as_text(value: Any) -> str:
    """A value inside a line of text."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(as_text(item) for item in value)
    return str(value)
