"""A schedule as its file writes it, before anything is made of it: what every reader gives."""

from __future__ import annotations

from dataclasses import dataclass

from common.processing.session.media import Link

EXPECTED = "Pentabarf XML (FOSDEM, frab, pretalx) or frab/pretalx JSON"


@dataclass(frozen=True, kw_only=True)
class RawEvent:
    """One talk as its schedule writes it; every field is text, possibly empty."""

    day_index: str = ""
    day_date: str = ""
    room: str = ""
    date: str = ""
    start: str = ""
    duration: str = ""
    slug: str = ""
    url: str = ""
    title: str = ""
    subtitle: str = ""
    track: str = ""
    type: str = ""
    language: str = ""
    abstract: str = ""
    description: str = ""
    persons: tuple[str, ...] = ()
    attachments: tuple[Link, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RawSchedule:
    title: str = ""
    base_url: str = ""
    events: tuple[RawEvent, ...] = ()
