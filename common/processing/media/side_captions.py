"""Captions that stand beside a recording on its server, as `talk.vtt` or `talk.en.vtt` beside `talk.mp4`."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit, urlunsplit

from common.errors import Cancelled, ProcessingError
from common.processing.base import Context
from common.processing.media.captions import MAX_CAPTIONS_BYTES, Segment, parse_captions

SUFFIXES = (".mp4", ".webm", ".mkv", ".ogv", ".m4v", ".mov", ".mp3", ".ogg", ".opus", ".m4a", ".wav", ".flac")


def side_captions(url: str, context: Context, *, language: str | None) -> tuple[Segment, ...]:
    """Nothing where there are none: they are only looked for, nobody promised them."""
    for candidate in caption_urls(url, language):
        if found := read_captions(candidate, context):
            return found
    return ()


def read_captions(url: str, context: Context) -> tuple[Segment, ...]:
    """None where they cannot be had: the recording itself may still be heard."""
    try:
        source = context.sources.fetch(url=url)
    except Cancelled:
        raise
    except ProcessingError as error:
        context.progress.log("info", f"no captions at an address where some could be ({error.code})")
        return ()
    return parse_captions(source.path.read_bytes()) if source.size <= MAX_CAPTIONS_BYTES else ()


def is_media_file(url: str) -> bool:
    """Whether an address names a file; else it is taken for a page that shows one."""
    return PurePosixPath(urlsplit(url).path).suffix.lower() in (*SUFFIXES, ".vtt", ".srt")


def caption_urls(url: str, language: str | None) -> list[str]:
    parts = urlsplit(url)
    path = PurePosixPath(parts.path)
    if path.suffix.lower() not in SUFFIXES:
        return []
    endings = [f".{language}.vtt"] if language else []
    return [
        urlunsplit((parts.scheme, parts.netloc, str(path.with_suffix(ending)), "", ""))
        for ending in [*endings, ".vtt"]
    ]
