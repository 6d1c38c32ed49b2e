"""Links as Obsidian reads them: by path below the folder of sessions, without that folder's name."""

from __future__ import annotations

import re

SESSIONS_FOLDER = "sessions"
EMBED_WIDTH = 300


def link_path(path: str) -> str:
    return path.removeprefix(f"{SESSIONS_FOLDER}/")


def embed(path: str, *, width: int = EMBED_WIDTH) -> str:
    return f"![[{link_path(path)}|{width}]]"


def wiki_link(path: str, text: str) -> str:
    """A link to a note; the text keeps no character that would end the link early."""
    shown = re.sub(r"[\[\]|\s]+", " ", text).strip()
    target = link_path(path).removesuffix(".md")
    return f"[[{target}|{shown}]]" if shown else f"[[{target}]]"
