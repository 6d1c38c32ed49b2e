"""Two readings of one page as one text: the text layer, and what OCR found that is not in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

KNOWN_SHARE = 0.6  # of a line's words: OCR misreads some, so not all need to be found
SHORT_WORD = 3

_WORD = re.compile(r"\w+")


def unite(layer: str, read: str) -> str:
    """The layer as it is, then the lines that only OCR saw: text inside pictures."""
    if not layer.strip():
        return read
    known = set(_words(layer))
    new = [line for line in read.splitlines() if _is_new(line, known)]
    return "\n\n".join([layer.rstrip(), *new]) if new else layer


def _is_new(line: str, known: set[str]) -> bool:
    words = list(_words(line))
    if not words or max(map(len, words)) < SHORT_WORD:
        return False  # stray marks of drawings and icons
    return sum(word in known for word in words) < KNOWN_SHARE * len(words)


def _words(text: str) -> Iterator[str]:
    return (match.group().lower() for match in _WORD.finditer(text))
