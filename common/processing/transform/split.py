"""A long text in parts that fit a model, cut where a reader would pause."""

from __future__ import annotations

# From the strongest pause to none at all; a part is cut at the last one in its second half.
_PAUSES = ("\n## ", "\n\n", "\n", ". ", " ")


def split_text(text: str, limit: int) -> list[str]:
    """Parts of at most `limit` characters that joined give the text again."""
    if limit < 1:
        raise ValueError("expected a limit of at least one character")
    parts = []
    start = 0
    while len(text) - start > limit:
        cut = _cut(text, start, start + limit)
        parts.append(text[start:cut])
        start = cut
    return [*parts, text[start:]]


def _cut(text: str, start: int, end: int) -> int:
    middle = start + (end - start) // 2
    for pause in _PAUSES:
        found = text.rfind(pause, middle, end)
        if found > start:
            return found + (len(pause) if pause in (". ", " ") else 0)
    return end
