"""Styles and numbering of a .docx: which paragraph is a heading, which an item and of what kind."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING_NAME = re.compile(r"^heading (\d)$")
DEEPEST_STYLE = 12


@dataclass(frozen=True, kw_only=True)
class Style:
    """One paragraph style, as far as it changes the Markdown."""

    name: str
    based_on: str
    outline_level: int | None
    list_id: str | None
    list_level: int | None


@dataclass(frozen=True, kw_only=True)
class ListPlace:
    """Where a paragraph stands in a list."""

    list_id: str
    level: int
    ordered: bool


@dataclass
class TextStyles:
    """Looks up what a paragraph is."""

    styles: dict[str, Style]
    ordered: dict[tuple[str, int], bool | None]  # None: the level shows no mark at all
    counters: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))

    def name(self, paragraph: _Element) -> str:
        style = self.styles.get(_style_id(paragraph))
        return style.name if style else ""

    def heading_level(self, paragraph: _Element) -> int | None:
        own = _number(paragraph, f"{W}pPr/{W}outlineLvl")
        if own is not None and own < 9:
            return own + 1
        for style in self._chain(_style_id(paragraph)):
            if style.name == "title":
                return 1
            if found := _HEADING_NAME.match(style.name):
                return int(found[1])
            if style.outline_level is not None:
                return style.outline_level + 1 if style.outline_level < 9 else None
        return None

    def list_place(self, paragraph: _Element) -> ListPlace | None:
        list_id = _value(paragraph, f"{W}pPr/{W}numPr/{W}numId")
        level = _number(paragraph, f"{W}pPr/{W}numPr/{W}ilvl")
        if list_id is None:
            for style in self._chain(_style_id(paragraph)):
                if style.list_id is not None:
                    list_id, level = style.list_id, level if level is not None else style.list_level
                    break
        if list_id is None or list_id == "0":
            return None
        ordered = self.ordered.get((list_id, level or 0), False)
        if ordered is None:
            return None
        return ListPlace(list_id=list_id, level=min(level or 0, 8), ordered=ordered)

    def next_number(self, place: ListPlace) -> int:
        """Counts an item; deeper levels start again after it."""
        counters = self.counters[place.list_id]
        counters[place.level] = counters.get(place.level, 0) + 1
        for deeper in [level for level in counters if level > place.level]:
            del counters[deeper]
        return counters[place.level]

    def _chain(self, style_id: str) -> list[Style]:
        chain: list[Style] = []
        while style_id in self.styles and len(chain) < DEEPEST_STYLE:
            chain.append(self.styles[style_id])
            style_id = chain[-1].based_on
        return chain


def read_styles(styles: _Element | None, numbering: _Element | None) -> TextStyles:
    return TextStyles(
        styles={} if styles is None else dict(_style(element) for element in styles.iter(f"{W}style")),
        ordered={} if numbering is None else _ordered_levels(numbering),
    )


def _style(element: _Element) -> tuple[str, Style]:
    return element.get(f"{W}styleId", ""), Style(
        name=(_value(element, f"{W}name") or "").lower(),
        based_on=_value(element, f"{W}basedOn") or "",
        outline_level=_number(element, f"{W}pPr/{W}outlineLvl"),
        list_id=_value(element, f"{W}pPr/{W}numPr/{W}numId"),
        list_level=_number(element, f"{W}pPr/{W}numPr/{W}ilvl"),
    )


def _ordered_levels(numbering: _Element) -> dict[tuple[str, int], bool | None]:
    formats: dict[str, dict[int, bool | None]] = {}
    for abstract in numbering.iter(f"{W}abstractNum"):
        levels: dict[int, bool | None] = {}
        for level in abstract.iter(f"{W}lvl"):
            kind = _value(level, f"{W}numFmt") or "bullet"
            place = level.get(f"{W}ilvl", "0")
            if place.isdecimal():
                levels[int(place)] = None if kind == "none" else kind != "bullet"
        formats[abstract.get(f"{W}abstractNumId", "")] = levels
    found: dict[tuple[str, int], bool | None] = {}
    for number in numbering.iter(f"{W}num"):
        for place_number, ordered in formats.get(_value(number, f"{W}abstractNumId") or "", {}).items():
            found[number.get(f"{W}numId", ""), place_number] = ordered
    return found


def _style_id(paragraph: _Element) -> str:
    return _value(paragraph, f"{W}pPr/{W}pStyle") or ""


def _value(element: _Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else found.get(f"{W}val")


def _number(element: _Element, path: str) -> int | None:
    value = _value(element, path)
    return int(value) if value is not None and value.isdecimal() else None
