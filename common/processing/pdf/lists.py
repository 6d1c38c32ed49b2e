"""Finds list items by the marker they start with, and how deep they are by their indent."""

from __future__ import annotations

import re

BULLETS = "•●○■□▪▫◦‣⁃∙·►▶➢➔→✓✔❖◆◇★※\uf0b7\uf0a7\uf0d8\uf076\uf0fc\u2022\u25aa\u2043█"
BULLET = re.compile(rf"([{BULLETS}]|[-–—*](?=\s))\s*")
NUMBER = re.compile(r"(\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])\s+(?=\S)")


def marker(text: str) -> str:
    """The list marker at the start of a line, or nothing."""
    match = BULLET.match(text)
    if match:
        return match[0].strip()
    match = NUMBER.match(text)
    return match[1] if match else ""


def is_bullet(mark: str) -> bool:
    return not any(letter.isalnum() for letter in mark)
