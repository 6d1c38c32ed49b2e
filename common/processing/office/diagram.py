"""The text of a SmartArt diagram as a nested list: many slides hold all their words there."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TEXT_POINTS = {"node", "asst"}
DEEPEST_LEVEL = 8


def diagram_items(data: _Element) -> list[tuple[int, str]]:
    """(level, text) of every point with text, parents before children."""
    texts: dict[str, str] = {}
    root = ""
    for point in data.iter(f"{_D}pt"):
        kind, key = point.get("type", "node"), point.get("modelId", "")
        if kind == "doc":
            root = key
        elif kind in _TEXT_POINTS:
            texts[key] = _text(point)
    children: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in data.iter(f"{_D}cxn"):
        if link.get("type", "parOf") == "parOf":
            order = link.get("srcOrd", "")
            place = int(order) if order.isdecimal() else 0
            children[link.get("srcId", "")].append((place, link.get("destId", "")))
    found: list[tuple[int, str]] = []
    seen: set[str] = {root}
    _walk(root, 0, texts, children, found, seen)
    return found + [(0, text) for key, text in texts.items() if text and key not in seen]


def _walk(
    key: str,
    level: int,
    texts: dict[str, str],
    children: dict[str, list[tuple[int, str]]],
    found: list[tuple[int, str]],
    seen: set[str],
) -> None:
    for _, child in sorted(children.get(key, ())):
        if child in seen or level > DEEPEST_LEVEL:
            continue
        seen.add(child)
        text = texts.get(child, "")
        if text:
            found.append((level, text))
        _walk(child, level + 1 if text else level, texts, children, found, seen)


def _text(point: _Element) -> str:
    paragraphs = ("".join(part.text or "" for part in line.iter(f"{_A}t")) for line in point.iter(f"{_A}p"))
    return " ".join(text.strip() for text in paragraphs if text.strip())
