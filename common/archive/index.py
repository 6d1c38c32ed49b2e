"""The index page of a batch: sessions by day and track, then by speaker and by topic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from common.archive.links import wiki_link
from common.text import one_line


@dataclass(frozen=True, kw_only=True)
class Card:
    """One session as the index shows it."""

    title: str
    markdown_path: str
    event: str = ""
    track: str = ""
    day: str = ""
    start: str = ""
    language: str = ""
    speakers: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One job of the batch that delivered nothing, and why."""

    job_id: str
    name: str
    url: str = ""
    error: Mapping[str, Any] = field(default_factory=dict)


_TEXTS = {
    "en": {
        "count": "{sessions} sessions",
        "no_day": "Without a day",
        "no_track": "Without a track",
        "speakers": "Speakers",
        "topics": "Topics",
        "failed": "Not delivered",
    },
    "de": {
        "count": "{sessions} Vorträge",
        "no_day": "Ohne Tag",
        "no_track": "Ohne Reihe",
        "speakers": "Vortragende",
        "topics": "Themen",
        "failed": "Nicht geliefert",
    },
}


def index_page(
    cards: Sequence[Card], failures: Sequence[Failure] = (), *, title: str, language: str = "en"
) -> str:
    texts = _TEXTS.get(language.lower()[:2], _TEXTS["en"])
    languages = {card.language.upper() for card in cards}
    lines = [f"# {one_line(title)}", "", texts["count"].format(sessions=len(cards)), ""]
    lines += _by_day_and_track(cards, texts, show_language=len(languages) > 1)
    lines += _by_name(texts["speakers"], ((name, card) for card in cards for name in card.speakers))
    lines += _by_name(texts["topics"], ((topic, card) for card in cards for topic in card.topics))
    if failures:
        lines += [f"## {texts['failed']}", *(_failure_line(one) for one in failures), ""]
    return "\n".join(lines)


def _by_day_and_track(cards: Sequence[Card], texts: Mapping[str, str], *, show_language: bool) -> list[str]:
    lines: list[str] = []
    for day, of_day in _grouped((card.day, card) for card in cards):
        lines += [f"## {day or texts['no_day']}", ""]
        for track, of_track in _grouped((card.track, card) for card in of_day):
            lines += [f"### {track or texts['no_track']}"]
            ordered = sorted(of_track, key=lambda card: (card.start, card.title, card.markdown_path))
            lines += [_session_line(card, show_language=show_language) for card in ordered]
            lines.append("")
    return lines


def _by_name(heading: str, pairs: Iterable[tuple[str, Card]]) -> list[str]:
    groups = _grouped(pairs)
    if not groups:
        return []
    lines = [f"- {name}: {', '.join(_link(card) for card in cards)}" for name, cards in groups if name]
    return [f"## {heading}", *lines, ""]


def _grouped(pairs: Iterable[tuple[str, Card]]) -> list[tuple[str, list[Card]]]:
    """Named groups in the order of their names, the unnamed one last."""
    groups: dict[str, list[Card]] = defaultdict(list)
    for name, card in pairs:
        groups[one_line(name)].append(card)
    return sorted(groups.items(), key=lambda item: (not item[0], item[0].casefold(), item[0]))


def _session_line(card: Card, *, show_language: bool) -> str:
    parts = [f"{one_line(card.start)} {_link(card)}".strip()]
    if show_language and card.language:
        parts[0] += f" ({card.language.upper()})"
    if card.speakers:
        parts.append(", ".join(one_line(name) for name in card.speakers))
    if card.topics:
        parts.append(", ".join(f"*{one_line(topic)}*" for topic in card.topics))
    return f"- {' · '.join(parts)}"


def _link(card: Card) -> str:
    return wiki_link(card.markdown_path, card.title)


def _failure_line(failure: Failure) -> str:
    message = one_line(str(failure.error.get("message", "")))
    code = one_line(str(failure.error.get("code", "")))
    source = f" <{one_line(failure.url)}>" if failure.url else ""
    return f"- {one_line(failure.name or failure.job_id)}:{source} {code} {message}".rstrip()
