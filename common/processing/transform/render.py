"""A template and its values to Markdown, in one pass: a value is never read as template again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from common.processing.transform.front_matter import front_matter
from common.processing.transform.template import PLACE, Template, resolve
from common.text import as_text

_HEADING = re.compile(r"^(#{1,6})\s")
_SEPARATOR = " · "


def render(template: Template, values: Mapping[str, Any], *, blocks: Mapping[str, str] | None = None) -> str:
    """Lines and sections whose places are all empty are left out rather than shown hollow."""
    known = dict(values)
    body = _Body(known, blocks or {}).render(template.body)
    if template.front_matter is None:
        return body
    head = {name: value for name, value in resolve(template, known).items() if value not in (None, "", [])}
    return front_matter(head) + "\n" + body.lstrip("\n")


class _Body:
    def __init__(self, values: Mapping[str, Any], blocks: Mapping[str, str]) -> None:
        self._values = values
        self._blocks = blocks

    def render(self, template: str) -> str:
        lines = _joined_places(template)
        kept = [text for section in _sections(lines) for text in self._section(section)]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n") + "\n"

    def _section(self, lines: list[str]) -> list[str]:
        """A heading goes with its content if that was made of places and all of them are empty."""
        rendered = [text for line in lines if (text := self._line(line)) is not None]
        is_section = bool(lines and _HEADING.match(lines[0]))
        asks = any(PLACE.search(line) for line in lines[1:])
        hollow = not any(text.strip() for text in rendered[1:])
        return [] if is_section and asks and hollow else rendered

    def _line(self, line: str) -> str | None:
        places = list(PLACE.finditer(line))
        if not places:
            return line
        if not any(self._text(match) for match in places):
            return None
        parts = [part for part in line.split(_SEPARATOR) if not self._is_hollow(part)]
        return PLACE.sub(self._text, _SEPARATOR.join(parts))

    def _is_hollow(self, part: str) -> bool:
        places = list(PLACE.finditer(part))
        return bool(places) and not any(self._text(match) for match in places)

    def _text(self, match: re.Match[str]) -> str:
        if match["block"]:
            return self._blocks.get(match["block"], "").strip("\n")
        return as_text(self._values.get(match["name"]))


def _joined_places(template: str) -> list[str]:
    """A question may run over several lines; its place is one."""
    whole = PLACE.sub(lambda match: " ".join(match.group().split()), template)
    return whole.split("\n")


def _sections(lines: list[str]) -> list[list[str]]:
    """Each heading with the lines up to the next one, whatever its level."""
    sections: list[list[str]] = [[]]
    for line in lines:
        if _HEADING.match(line):
            sections.append([])
        sections[-1].append(line)
    return sections
