"""Links to slides, recordings, captions and players, and how to tell which is which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from common.processing.session.url import suffix_of

PRESENTATION_SUFFIXES = frozenset({".ppt", ".pptx", ".pps", ".ppsx", ".odp", ".key"})
DOCUMENT_SUFFIXES = PRESENTATION_SUFFIXES | {".pdf", ".docx", ".doc", ".odt", ".xlsx", ".ods"}
VIDEO_SUFFIXES = frozenset({".mp4", ".webm", ".mkv", ".ogv", ".m4v", ".mov"})
AUDIO_SUFFIXES = frozenset({".mp3", ".ogg", ".opus", ".m4a", ".flac", ".wav"})
CAPTION_SUFFIXES = frozenset({".vtt", ".srt"})

_SLIDES_WORD = re.compile(
    r"\b(slides?|slide\s?deck|presentation|folien|pr[äa]sentation|transparents|diapositiv\w*|diapos|presentaci[óo]n"
    r"|presentazione)\b",
    re.IGNORECASE,
)
_RECORDING_WORD = re.compile(
    r"\b(video|recording|mitschnitt|aufzeichnung|vid[ée]o|enregistrement|grabaci[óo]n|registrazione)\b",
    re.IGNORECASE,
)
_ATTACHMENT_PLACE = re.compile(r"attachment|download|resource|material|unterlagen|handout", re.IGNORECASE)
_PLAYER_HOST = re.compile(
    r"(^|\.)(youtube(-nocookie)?\.com|youtu\.be|vimeo\.com|media\.ccc\.de|dailymotion\.com|twitch\.tv|invidious\.\w+)$",
    re.IGNORECASE,
)
_PLAYER_PATH = re.compile(r"/(o?embed|player|videos/embed|iframe)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Link:
    url: str
    text: str = ""
    language: str = ""


@dataclass(frozen=True, kw_only=True)
class Media:
    """Everything a page links to besides text; each URL once, in the order of the page."""

    slides: tuple[Link, ...] = ()
    videos: tuple[Link, ...] = ()
    captions: tuple[Link, ...] = ()
    players: tuple[Link, ...] = ()


def is_slides(link: Link, base_url: str, *, place: str = "") -> bool:
    """A document that is called slides, or that stands among the page's downloads."""
    suffix = suffix_of(link.url)
    same_site = urlsplit(link.url).netloc == urlsplit(base_url).netloc
    named = bool(_SLIDES_WORD.search(link.text))
    if suffix in DOCUMENT_SUFFIXES:
        offered = _ATTACHMENT_PLACE.search(f"{place} {urlsplit(link.url).path}")
        return named or bool(offered) or (same_site and suffix in PRESENTATION_SUFFIXES)
    return not suffix and same_site and named


def is_recording(link: Link) -> bool:
    """A media file, or a page of a video host that the text calls a recording."""
    suffix = suffix_of(link.url)
    if suffix in VIDEO_SUFFIXES | AUDIO_SUFFIXES:
        return True
    host = urlsplit(link.url).hostname or ""
    return bool(_RECORDING_WORD.match(link.text) and _PLAYER_HOST.search(host))


def is_player(url: str) -> bool:
    parts = urlsplit(url)
    return bool(_PLAYER_HOST.search(parts.hostname or "") or _PLAYER_PATH.search(parts.path))


def each_once(links: Iterable[Link]) -> tuple[Link, ...]:
    """The first of each URL, with the first text that any of them has."""
    found: dict[str, Link] = {}
    for link in links:
        known = found.get(link.url)
        if known is None or (link.text and not known.text):
            found[link.url] = link
    return tuple(found.values())
