"""The XML form of a schedule, as Pentabarf began it and FOSDEM, frab and pretalx still write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.errors import UnsupportedFile
from common.names import log_safe
from common.processing.session.media import Link
from common.processing.session.raw_schedule import EXPECTED, RawEvent, RawSchedule

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def read_xml(data: bytes) -> RawSchedule:
    root = _parse(data)
    if root.tag != "schedule":
        raise UnsupportedFile(f"Expected a schedule ({EXPECTED}), found {_what(root)}")
    people = {person.get("id", ""): _words(person) for person in root.findall("persons/person")}
    return RawSchedule(
        title=_child(root, "conference/title"),
        base_url=_child(root, "conference/base_url"),
        events=tuple(
            _event(event, day, room, people)
            for day in root.findall("day")
            for room in day.findall("room")
            for event in room.findall("event")
        ),
    )


def _parse(data: bytes) -> Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        found = "a web page (HTML)" if _looks_like_html(data) else f"XML with a fault: {log_safe(error.msg)}"
        raise UnsupportedFile(f"Expected a schedule ({EXPECTED}), found {found}") from error
    except ValueError as error:
        raise UnsupportedFile(f"Expected a schedule ({EXPECTED}), found unreadable XML") from error


def _looks_like_html(data: bytes) -> bool:
    start = data[:1024].lower()
    return b"<!doctype html" in start or b"<html" in start


def _what(root: Element) -> str:
    tag = str(root.tag).rpartition("}")[2]
    return "a web page (HTML)" if tag.lower() == "html" else f"XML with the root {log_safe(tag)!r}"


def _event(event: Element, day: Element, room: Element, people: dict[str, str]) -> RawEvent:
    return RawEvent(
        day_index=day.get("index", ""),
        day_date=day.get("date", ""),
        room=room.get("name", "") or _child(event, "room"),
        date=_child(event, "date"),
        start=_child(event, "start"),
        duration=_child(event, "duration"),
        slug=_child(event, "slug"),
        url=_child(event, "url"),
        title=_child(event, "title"),
        subtitle=_child(event, "subtitle"),
        track=_child(event, "track"),
        type=_child(event, "type"),
        language=_child(event, "language"),
        abstract=_text(event, "abstract"),
        description=_text(event, "description"),
        persons=tuple(
            _words(person) or people.get(person.get("id", ""), "")
            for person in event.findall("persons/person")
        ),
        attachments=tuple(_link(node) for node in event.findall("attachments/attachment")),
        links=tuple(_link(node) for node in event.findall("links/link")),
    )


def _link(node: Element) -> Link:
    return Link(url=node.get("href", ""), text=_words(node))


def _child(node: Element, path: str) -> str:
    return " ".join(_text(node, path).split())


def _text(node: Element, path: str) -> str:
    found = node.find(path)
    return (found.text or "").strip() if found is not None else ""


def _words(node: Element) -> str:
    return " ".join((node.text or "").split())
