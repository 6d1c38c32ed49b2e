"""The blocks `{slides}` and `{videoplayer}` of a template."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from common.archive.links import embed

SLIDE_CHARACTERS = 2_000  # of one slide's text; the whole of it is among the page texts
PLAYABLE_SUFFIXES = {".mp4", ".webm", ".m4v", ".mov", ".ogv", ".mkv", ".mp3", ".ogg", ".m4a", ".wav"}

_PLAYERS = (
    (
        re.compile(r"^https?://(?:(?:www|m)\.)?youtube\.com/(?:watch\?(?:.*&)?v=|live/)([\w-]{5,20})"),
        "https://www.youtube-nocookie.com/embed/{}",
    ),
    (re.compile(r"^https?://youtu\.be/([\w-]{5,20})"), "https://www.youtube-nocookie.com/embed/{}"),
    (re.compile(r"^https?://(?:www\.)?vimeo\.com/(\d{5,15})"), "https://player.vimeo.com/video/{}"),
)


@dataclass(frozen=True, kw_only=True)
class Slide:
    number: int
    picture: str | None = None  # its path among the job's files
    text: str = ""


def slides_block(slides: Sequence[Slide]) -> str:
    """Each picture with a table below it: the slide's first line as head, the rest as its row.

    The picture stands outside the table, because a table would need its `|300` escaped.
    """
    blocks = (_slide(slide) for slide in slides)
    return "\n\n".join(block for block in blocks if block)


def video_player(*, player: str | None = None, video: str | None = None) -> str:
    """An embedded player if there is one, else the recording itself, else a link to its page."""
    player = player or _embeddable(video or "")
    if player:
        return f'<iframe src="{escape(player)}" width="640" height="360" allowfullscreen></iframe>'
    if video and PurePosixPath(urlsplit(video).path).suffix.lower() in PLAYABLE_SUFFIXES:
        return f'<video src="{escape(video)}" controls width="640"></video>'
    return f"[{video}]({video})" if video else ""


def _embeddable(url: str) -> str | None:
    """The address under which the large video sites offer a recording for other pages."""
    for pattern, player in _PLAYERS:
        if match := pattern.search(url):
            return player.format(match[1])
    return None


def _slide(slide: Slide) -> str:
    parts = [embed(slide.picture)] if slide.picture else []
    if lines := _lines(slide.text):
        parts.append(f"| {slide.number} | {lines[0]} |\n| --- | --- |")
        if lines[1:]:
            parts[-1] += f"\n| | {'<br>'.join(lines[1:])} |"
    elif not parts:
        return ""
    return "\n\n".join(parts)


def _lines(text: str) -> list[str]:
    shown = text[:SLIDE_CHARACTERS] + (" …" if len(text) > SLIDE_CHARACTERS else "")
    lines = (_cell(line) for line in shown.splitlines())
    return [line for line in lines if line]


def _cell(line: str) -> str:
    """One line inside a cell: no pipe ends it, no brackets make a link, no heading or fence is left."""
    escaped = line.replace("\\", "\\\\").replace("|", "\\|").replace("[[", "\\[\\[")
    return " ".join(escaped.split()).lstrip("#> ").strip("`")
