"""The blocks `{slides}` and `{videoplayer}` of a template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from common.archive.links import embed

SLIDE_CHARACTERS = 2_000  # of one slide's text; the whole of it is among the page texts


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
    """An embedded player if the page had one, else the recording itself."""
    if player:
        return f'<iframe src="{escape(player)}" width="640" height="360" allowfullscreen></iframe>'
    if video:
        return f'<video src="{escape(video)}" controls width="640"></video>'
    return ""


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
