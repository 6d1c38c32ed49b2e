"""Day and time of a talk, from machine-readable dates or from the way people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

_MONTHS = (
    "january januar janvier enero gennaio jan",
    "february februar février febrero febbraio feb",
    "march märz mars marzo mar mrz",
    "april avril abril aprile apr",
    "may mai mayo maggio",
    "june juni juin junio giugno jun",
    "july juli juillet julio luglio jul",
    "august août agosto aug",
    "september septembre septiembre settembre sep sept",
    "october oktober octobre octubre ottobre oct okt",
    "november novembre noviembre nov",
    "december dezember décembre diciembre dicembre dec dez",
)
_MONTH_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True))
_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)"),
    re.compile(r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})\b"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:de\s+)?(?P<n>{_MONTH})\.?,?\s+(?:de\s+)?(?P<y>\d{{4}})\b",
        re.I,
    ),
    re.compile(rf"\b(?P<n>{_MONTH})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b", re.I),
)
_CLOCK = r"([01]?\d|2[0-3])[:.h]([0-5]\d)"
_RANGE = re.compile(rf"\b{_CLOCK}\s*(?:-|–|—|to|bis|à)\s*{_CLOCK}\b")
_START = re.compile(rf"\b(?:start|beginn|début|inicio|inizio)\W{{1,4}}{_CLOCK}\b", re.I)
_END = re.compile(rf"\b(?:end|ende|fin|fine)\W{{1,4}}{_CLOCK}\b", re.I)


@dataclass(frozen=True, kw_only=True)
class Moment:
    """`day` as YYYY-MM-DD, `start` and `end` as HH:MM in the time of the place; empty if not known."""

    day: str = ""
    start: str = ""
    end: str = ""

    def or_else(self, other: Moment) -> Moment:
        return Moment(day=self.day or other.day, start=self.start or other.start, end=self.end or other.end)

    @property
    def minutes(self) -> int | None:
        """How long the talk is; one that ends before it starts ends after midnight."""
        if not (self.start and self.end):
            return None
        return (_minutes(self.end) - _minutes(self.start)) % (24 * 60)


def from_iso(start: str, end: str = "") -> Moment:
    first, last = _iso(start), _iso(end)
    if first is None:
        return Moment()
    has_time = "T" in start or ":" in start
    return Moment(
        day=first.date().isoformat(),
        start=f"{first:%H:%M}" if has_time else "",
        end=f"{last:%H:%M}" if has_time and last else "",
    )


def from_text(text: str) -> Moment:
    """The first date and the first times that a text names."""
    start, end = _times(text)
    return Moment(day=_first_day(text), start=start, end=end)


def _first_day(text: str) -> str:
    matches = [match for pattern in _DATES if (match := pattern.search(text))]
    for match in sorted(matches, key=lambda one: one.start()):
        parts = match.groupdict()
        month = int(parts["m"]) if parts.get("m") else _MONTH_NUMBER[parts["n"].lower()]
        try:
            return date(int(parts["y"]), month, int(parts["d"])).isoformat()
        except ValueError:
            continue
    return ""


def _times(text: str) -> tuple[str, str]:
    if match := _RANGE.search(text):
        return _clock(match[1], match[2]), _clock(match[3], match[4])
    start, end = _START.search(text), _END.search(text)
    return (_clock(start[1], start[2]) if start else ""), (_clock(end[1], end[2]) if end else "")


def _clock(hour: str, minute: str) -> str:
    return f"{int(hour):02}:{minute}"


def _minutes(clock: str) -> int:
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None
