"""Captions in the two forms the web uses, WebVTT and SubRip, to timed text and back."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_CAPTIONS_BYTES = 20 * 1024**2  # a day of speech has about one megabyte
PAUSE_SECONDS = 2.0  # a silence this long starts a new paragraph
PARAGRAPH_CHARACTERS = 700

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = re.compile(rf"^\s*{_TIME}\s+-->\s+{_TIME}")
_TAG = re.compile(r"<[^<>]{0,200}>|\{\\an?\d{1,2}\}")  # the second is SubRip's place on the screen


@dataclass(frozen=True, kw_only=True)
class Segment:
    """What was said between two moments of a recording, in seconds."""

    start: float
    end: float
    text: str


def parse_captions(data: bytes) -> tuple[Segment, ...]:
    """Every cue in order; lines that a live caption repeats are kept once."""
    text = data[:MAX_CAPTIONS_BYTES].decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    found: list[Segment] = []
    last_line = ""
    for block in re.split(r"\n[ \t]*\n", text.replace("\r", "\n")):
        lines = block.strip("\n").split("\n")
        place = next((number for number, line in enumerate(lines[:3]) if _CUE.match(line)), None)
        if place is None:
            continue
        said = [line for raw in lines[place + 1 :] if (line := _plain(raw))]
        fresh = said[1:] if said and said[0] == last_line else said
        last_line = said[-1] if said else last_line
        match = _CUE.match(lines[place])
        if match and fresh:
            numbers = match.groups()
            found.append(
                Segment(start=_seconds(numbers[:4]), end=_seconds(numbers[4:]), text=" ".join(fresh))
            )
    return tuple(found)


def to_vtt(segments: Iterable[Segment]) -> str:
    cues = (
        f"{_clock(one.start)} --> {_clock(max(one.end, one.start))}\n{html.escape(one.text, quote=False)}\n"
        for one in segments
    )
    return "\n".join(["WEBVTT\n", *cues])


def to_text(segments: Iterable[Segment]) -> str:
    """Paragraphs, broken where the speaker paused or a paragraph has become long."""
    paragraphs: list[list[str]] = []
    length, ended = 0, None
    for one in segments:
        paused = ended is not None and one.start - ended > PAUSE_SECONDS
        full = length > PARAGRAPH_CHARACTERS and paragraphs[-1][-1].endswith((".", "!", "?"))
        if not paragraphs or paused or full or length > 2 * PARAGRAPH_CHARACTERS:
            paragraphs.append([])
            length = 0
        paragraphs[-1].append(one.text)
        length += len(one.text)
        ended = one.end
    return "\n\n".join(" ".join(lines) for lines in paragraphs)


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", line)).split())


def _seconds(numbers: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = numbers
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return round(whole + float(f"0.{fraction or 0}"), 3)


def _clock(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"
