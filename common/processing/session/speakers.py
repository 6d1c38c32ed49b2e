"""Who gives a talk: from structured data, from the markup of known systems, or from a label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from common.processing.session.html import attribute, text_of
from common.processing.session.people import clean_names, split_names

LABEL_CHARACTERS = 400
LABEL_CANDIDATES = 2_000

_NAME_CLASS = (
    "[class*=speaker-name], [class*=speaker_name], [class*=speakername], [itemprop=performer] [itemprop=name]"
)
_PERSON_PATH = re.compile(r"/(speakers?|persons?|people|vortragende|referent(en)?)/[^/]+/?$", re.IGNORECASE)
_LABEL = (
    r"speakers?|presenters?|presented by|referent(?:en|in|innen)?|vortragende[rn]?|sprecher(?:in|innen)?"
    r"|orateurs?|oratrices?|conf[ée]renciers?|ponentes?|relator[ei]"
)
_LABELLED = re.compile(rf"^(?:{_LABEL})\s*[:：]\s*(.+)$", re.IGNORECASE)
_LABEL_ONLY = re.compile(rf"^(?:{_LABEL})\s*[:：]?$", re.IGNORECASE)
_PERFORMERS = ("performer", "performers", "speaker", "speakers", "actor")


def find_speakers(
    tree: LexborHTMLParser, body: LexborNode, json_ld: Sequence[dict[str, Any]]
) -> tuple[str, ...]:
    """The first of these sources that names anyone, the most explicit first."""
    sources = (
        lambda: _from_json_ld(json_ld),
        lambda: (text_of(node) for node in body.css(_NAME_CLASS)),
        lambda: _from_links(body),
        lambda: _from_labels(body),
        lambda: _from_author(tree, body),
    )
    for source in sources:
        names = clean_names(source())
        if names:
            return names
    return ()


def _from_json_ld(json_ld: Sequence[dict[str, Any]]) -> list[str]:
    names: list[str] = []
    for item in json_ld:
        for key in _PERFORMERS:
            people = item.get(key)
            for person in people if isinstance(people, list) else [people]:
                name = person.get("name") if isinstance(person, dict) else person
                if isinstance(name, str):
                    names.append(name)
    return names


def _from_links(body: LexborNode) -> list[str]:
    return [text_of(link) for link in body.css("a[href]") if _leads_to_person(attribute(link, "href"))]


def _leads_to_person(href: str) -> bool:
    try:
        return bool(_PERSON_PATH.search(urlsplit(href).path))
    except ValueError:
        return False


def _from_labels(body: LexborNode) -> list[str]:
    for node in body.css("dt, th, td, strong, b, h2, h3, h4")[:LABEL_CANDIDATES]:
        if _LABEL_ONLY.match(text_of(node)) and (value := _next_element(node)) is not None:
            return _names_in(value)
    texts = [text_of(node) for node in body.css("span, p, li, td, h2, h3, div")[:LABEL_CANDIDATES]]
    lines = [match.group(1) for text in texts if (match := _LABELLED.match(text[:LABEL_CHARACTERS]))]
    return split_names(min(lines, key=len)) if lines else []  # the tightest element around the names


def _next_element(node: LexborNode) -> LexborNode | None:
    following = node.next
    while following is not None and not following.is_element_node:
        following = following.next
    return following


def _names_in(value: LexborNode) -> list[str]:
    entries = [text_of(node) for node in value.css("li, a")]
    return entries or split_names(text_of(value))


def _from_author(tree: LexborHTMLParser, body: LexborNode) -> list[str]:
    stated = [attribute(meta, "content") for meta in tree.css("meta[name=author]")]
    return stated or [text_of(node) for node in body.css(".author, [rel=author], [itemprop=author]")]
