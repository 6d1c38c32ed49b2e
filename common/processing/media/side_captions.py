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
        try:
            source = context.sources.fetch(url=candidate)
        except Cancelled:
            raise
        except ProcessingError as error:
            context.progress.log("info", f"no captions beside the recording ({error.code})")
            continue
        if source.size <= MAX_CAPTIONS_BYTES and (found := parse_captions(source.path.read_bytes())):
            return found
    return ()


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
