"""An event's schedule: every talk with what a `session` job needs, in whatever form it was published."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from common.errors import UnsupportedFile, ValidationFailed
from common.media_type import sniff_binary
from common.names import log_safe, unique_names
from common.processing.languages import language_code
from common.processing.session.frab import read_json
from common.processing.session.media import DOCUMENT_SUFFIXES, VIDEO_SUFFIXES, Link, each_once, is_recording
from common.processing.session.pentabarf import read_xml
from common.processing.session.people import clean_names
from common.processing.session.raw_schedule import EXPECTED, RawEvent, RawSchedule
from common.processing.session.url import absolute_url, suffix_of

MAX_SCHEDULE_BYTES = 50 * 1024**2
MAX_EVENTS = 20_000
DEFAULT_TRACK = "General"
SHOWN_CHOICES = 20

_VIDEO_TEXT = re.compile(r"video recording", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ScheduleEvent:
    """One talk. `day` is its date; `schedule_day` and `day_index` name the day of the programme."""

    title: str
    url: str
    filename: str
    track: str
    room: str
    type: str
    language: str
    day: str
    schedule_day: str
    day_index: str
    start: str
    end: str
    subtitle: str = ""
    abstract: str = ""
    description: str = ""
    speakers: tuple[str, ...] = ()
    attachments: tuple[Link, ...] = ()
    videos: tuple[Link, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Schedule:
    title: str
    events: tuple[ScheduleEvent, ...]


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What to take of a schedule; an empty tuple takes all. Names are compared without their case."""

    track: tuple[str, ...] = ()
    room: tuple[str, ...] = ()
    day: tuple[str, ...] = ()  # a date, the number of the day, or the English name of the weekday
    type: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    limit: int | None = None


def read_schedule(data: bytes, *, url: str = "") -> Schedule:
    """`url` is where the schedule came from: old ones leave out the addresses of their talks."""
    if len(data) > MAX_SCHEDULE_BYTES:
        raise UnsupportedFile(f"The schedule has {len(data)} bytes; at most {MAX_SCHEDULE_BYTES} are read")
    raw = _reader(data)(data)
    if not raw.events:
        raise UnsupportedFile(
            f"The schedule {log_safe(raw.title)!r} has no events; expected {EXPECTED} with some"
        )
    if len(raw.events) > MAX_EVENTS:
        raise UnsupportedFile(f"The schedule has {len(raw.events)} events; at most {MAX_EVENTS} are read")
    base_url = _base_url(raw, url)
    names = unique_names(f"{event.title or event.slug}.md" for event in raw.events)
    events = (_event(event, name, base_url) for event, name in zip(raw.events, names, strict=True))
    return Schedule(title=raw.title or urlsplit(url).hostname or "Event", events=tuple(events))


def select(schedule: Schedule, filters: Filters) -> tuple[ScheduleEvent, ...]:
    """The events that pass every filter, in the order of the schedule."""
    chosen = list(schedule.events)
    for name, values_of in _FILTERED.items():
        wanted = {value.strip().casefold() for value in getattr(filters, name)}
        if not wanted:
            continue
        kept = [event for event in chosen if wanted & {value.casefold() for value in values_of(event)}]
        if not kept:
            raise ValidationFailed(_nothing_left(name, getattr(filters, name), chosen))
        chosen = kept
    return tuple(chosen[: filters.limit])


def session_parameters(schedule: Schedule, event: ScheduleEvent) -> dict[str, Any]:
    """The parameters of a `session` job, without those the schedule does not know."""
    documents = [link.url for link in event.attachments if suffix_of(link.url) in {"", *DOCUMENT_SUFFIXES}]
    known: dict[str, Any] = {
        "event": schedule.title,
        "session": event.title,
        "url": event.url,
        "filename": event.filename,
        "track": event.track,
        "day": event.day,
        "starttime": event.start,
        "endtime": event.end,
        "speakers": list(event.speakers),
        "video_url": _preferred(event.videos),
        "attachments_url": documents,
        "source_language": event.language,
    }
    return {name: value for name, value in known.items() if value}


def _reader(data: bytes) -> Callable[[bytes], RawSchedule]:
    start = data[:512].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if not start:
        raise UnsupportedFile(f"Expected a schedule ({EXPECTED}), found an empty answer")
    if start.startswith((b"{", b"[")):
        return read_json
    if start.startswith(b"<") or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return read_xml
    words = repr(log_safe(start[:40].decode("latin-1")))
    found = sniff_binary(data) or ("binary data" if b"\0" in start else words)
    raise UnsupportedFile(f"Expected a schedule ({EXPECTED}), found {found}")


def _event(raw: RawEvent, filename: str, base_url: str) -> ScheduleEvent:
    begin = _begin(raw)
    attachments = _absolute(raw.attachments, base_url)
    links = _absolute(raw.links, base_url)
    return ScheduleEvent(
        title=raw.title or raw.slug or filename.removesuffix(".md"),
        url=_event_url(raw, base_url),
        filename=filename,
        track=raw.track or DEFAULT_TRACK,
        room=raw.room,
        type=raw.type,
        language=language_code(raw.language),
        day=begin.date().isoformat() if begin else raw.day_date,
        schedule_day=raw.day_date,
        day_index=raw.day_index,
        start=f"{begin:%H:%M}" if begin and raw.start else raw.start,
        end=_end(begin, raw),
        subtitle=raw.subtitle,
        abstract=raw.abstract,
        description=raw.description,
        speakers=clean_names(raw.persons),
        attachments=attachments,
        videos=each_once(link for link in (*links, *attachments) if _is_video(link)),
    )


def _begin(raw: RawEvent) -> datetime | None:
    """`date` where there is one; older files only have the day's date and a time of the place."""
    for text in (raw.date, f"{raw.day_date}T{raw.start:0>5}", raw.day_date):
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            continue
    return None


def _end(begin: datetime | None, raw: RawEvent) -> str:
    length = _duration(raw.duration)
    if begin is None or length is None or not raw.start:
        return ""
    try:
        return f"{begin + length:%H:%M}"
    except OverflowError:
        return ""


def _duration(text: str) -> timedelta | None:
    """`00:40`, `1:00:00` (days first, as frab writes long ones) or a number of minutes."""
    if not re.fullmatch(r"\d{1,4}(:\d{1,2}){0,2}", text):
        return None
    numbers = [int(part) for part in text.split(":")]
    days, hours, minutes = [0] * (3 - len(numbers)) + numbers
    return timedelta(days=days, hours=hours, minutes=minutes)


def _base_url(raw: RawSchedule, url: str) -> str:
    """Where the talks' pages stand: as stated, as an attachment's address shows, or beside the schedule."""
    if raw.base_url:
        return raw.base_url if raw.base_url.endswith("/") else f"{raw.base_url}/"
    for event in raw.events:
        for attachment in event.attachments if event.slug else ():
            before, found, _ = attachment.url.partition(f"/event/{event.slug}/")
            if found:
                return f"{before}/"
    return urljoin(url, ".") if url else ""


def _event_url(raw: RawEvent, base_url: str) -> str:
    stated = absolute_url(base_url, raw.url)
    if stated or not (base_url and raw.slug):
        return stated or ""
    folder = "event/" if urlsplit(base_url).path.endswith("/schedule/") else ""
    return absolute_url(base_url, f"{folder}{raw.slug}/") or ""


def _absolute(links: Iterable[Link], base_url: str) -> tuple[Link, ...]:
    found = ((absolute_url(base_url, link.url), link) for link in links)
    return each_once(replace(link, url=url) for url, link in found if url)


def _is_video(link: Link) -> bool:
    """The type stated for an attachment is unreliable; its text and its suffix are not."""
    return bool(_VIDEO_TEXT.match(link.text)) or suffix_of(link.url) in VIDEO_SUFFIXES or is_recording(link)


def _preferred(videos: tuple[Link, ...]) -> str:
    """MP4 before the others: every recogniser and browser reads it."""
    ordered = sorted(videos, key=lambda link: suffix_of(link.url) != ".mp4")
    return ordered[0].url if ordered else ""


def _day_names(event: ScheduleEvent) -> tuple[str, ...]:
    names = [event.day_index, event.schedule_day, event.day]
    with suppress(ValueError):
        names.append(f"{date.fromisoformat(event.schedule_day or event.day):%A}")
    return tuple(name for name in names if name)


_FILTERED: dict[str, Callable[[ScheduleEvent], tuple[str, ...]]] = {
    "track": lambda event: (event.track,),
    "room": lambda event: (event.room,),
    "day": _day_names,
    "type": lambda event: (event.type,),
    "language": lambda event: (event.language,),
}


def _nothing_left(name: str, wanted: Iterable[str], events: Iterable[ScheduleEvent]) -> str:
    choices = sorted({value for event in events for value in _FILTERED[name](event) if value})
    shown = ", ".join(choices[:SHOWN_CHOICES]) + (" …" if len(choices) > SHOWN_CHOICES else "")
    asked = ", ".join(wanted)
    return f"No event has the {name} {log_safe(asked)!r}; the schedule has: {log_safe(shown, limit=1000)}"
