"""Walks a vault as Obsidian does: every link and embed of every note must lead to a file of it."""

from __future__ import annotations

import re
import zipfile

_LINK = re.compile(r"(?<!\\)\[\[([^\]|#]+)(?:[|#][^\]]*)?\]\]")
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def broken_links(archive: zipfile.ZipFile) -> list[str]:
    names = set(archive.namelist())
    notes = {name: archive.read(name).decode() for name in names if name.endswith(".md")}
    return [
        f"{name}: {target}"
        for name, text in sorted(notes.items())
        for target in _LINK.findall(_FENCED.sub("", text))
        if not _resolves(target, names)
    ]


def embeds(archive: zipfile.ZipFile, note: str) -> list[str]:
    return re.findall(r"!\[\[([^|\]]+)\|300\]\]", archive.read(note).decode())


def _resolves(target: str, names: set[str]) -> bool:
    """From the root, or below the folder of sessions, with or without the suffix of a note."""
    return any(f"{folder}{target}{suffix}" in names for folder in ("", "sessions/") for suffix in ("", ".md"))
