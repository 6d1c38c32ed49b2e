"""Words with their links, as Markdown inside a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from common.processing.pdf.spans import Word

TAG = re.compile(r"<(?=[A-Za-z/!])")


def line_text(words: Sequence[Word]) -> str:
    """Words with blanks; runs under one link become a Markdown link."""
    parts: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        end = index + 1
        if word.link:
            while end < len(words) and words[end].link == word.link:
                end += 1
        text = _plain(words[index:end])
        if word.link:
            text = f"[{text.replace('[', '').replace(']', '')}]({word.link})"
        if parts and not word.glued:
            parts.append(" ")
        parts.append(text)
        index = end
    return "".join(parts)


def _plain(words: Sequence[Word]) -> str:
    text = "".join(word.text if i == 0 or word.glued else f" {word.text}" for i, word in enumerate(words))
    return TAG.sub(r"\\<", text) if "<" in text else text
