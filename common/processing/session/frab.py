"""The JSON form of a schedule, as frab and pretalx write it; every field is taken only if it fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from common.errors import UnsupportedFile
from common.names import log_safe
from common.processing.session.media import Link
from common.processing.session.raw_schedule import EXPECTED, RawEvent, RawSchedule

_NAME_KEYS = ("public_name", "full_public_name", "name")


def read_json(data: bytes) -> RawSchedule:
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnsupportedFile(f"Expected a schedule ({EXPECTED}), found JSON with a fault") from error
    schedule = _object(_object(content).get("schedule"))
    conference = _object(schedule.get("conference"))
    if not isinstance(conference.get("days"), list):
        raise UnsupportedFile(
            f"Expected a schedule ({EXPECTED}) with schedule.conference.days,"
            f" found JSON with {_keys(content)}"
        )
    return RawSchedule(
        title=_word(conference.get("title")),
        base_url=_word(schedule.get("base_url")) or _word(conference.get("base_url")),
        events=tuple(_events(conference["days"])),
    )


def _keys(content: Any) -> str:
    if isinstance(content, dict):
        return f"the keys {log_safe(', '.join(content) or 'none')!r}"
    return f"a {type(content).__name__} at the top"


def _events(days: list[Any]) -> Iterator[RawEvent]:
    for day in map(_object, days):
        for room, events in _object(day.get("rooms")).items():
            for event in map(_object, _list(events)):
                if event:
                    yield _event(event, day, room)


def _event(event: dict[str, Any], day: dict[str, Any], room: str) -> RawEvent:
    return RawEvent(
        day_index=_word(day.get("index")),
        day_date=_word(day.get("date")),
        room=room,
        date=_word(event.get("date")),
        start=_word(event.get("start")),
        duration=_word(event.get("duration")),
        slug=_word(event.get("slug")),
        url=_word(event.get("url")),
        title=_word(event.get("title")),
        subtitle=_word(event.get("subtitle")),
        track=_word(event.get("track")),
        type=_word(event.get("type")),
        language=_word(event.get("language")),
        abstract=_text(event.get("abstract")),
        description=_text(event.get("description")),
        persons=tuple(_person(person) for person in _list(event.get("persons"))),
        attachments=tuple(_link(one) for one in map(_object, _list(event.get("attachments")))),
        links=tuple(_link(one) for one in map(_object, _list(event.get("links")))),
    )


def _person(person: Any) -> str:
    if isinstance(person, str):
        return _word(person)
    fields = _object(person)
    return next((name for key in _NAME_KEYS if (name := _word(fields.get(key)))), "")


def _link(fields: dict[str, Any]) -> Link:
    return Link(
        url=_text(fields.get("url")) or _text(fields.get("href")),
        text=_word(fields.get("title")) or _word(fields.get("description")),
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """A number is taken as written; a translated text (`{"de": …, "en": …}`) by its first language."""
    if isinstance(value, dict):
        value = next((text for text in value.values() if text), "")
    return str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def _word(value: Any) -> str:
    return " ".join(_text(value).split())
