"""Where a recording is and what is written down already: captions beside the file, or what its page shows."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import Cancelled, ProcessingError, TranscriptionFailed
from common.processing.base import Context, SourceFile
from common.processing.media.captions import Segment
from common.processing.media.side_captions import is_media_file, read_captions, side_captions


@dataclass(frozen=True, kw_only=True)
class Located:
    url: str
    captions: tuple[Segment, ...] = ()
    title: str = ""
    trouble: ProcessingError | None = (
        None  # why a page could not be read; the address may be a file for all that
    )

    def fetch(self, context: Context) -> SourceFile:
        """What is at the address; a page in its place is told by what kept us from reading it."""
        source = context.sources.fetch(url=self.url)
        if self.trouble is not None and source.media_type in ("text/html", "application/xhtml+xml"):
            raise self.trouble
        return source


def locate(url: str, context: Context, *, language: str | None) -> Located:
    if is_media_file(url):
        return Located(url=url, captions=side_captions(url, context, language=language))
    try:
        found = context.sources.look_up(url, language=language)
    except Cancelled:
        raise
    except ProcessingError as error:
        return Located(url=url, trouble=error)
    for address in found.captions:
        if segments := read_captions(address, context):
            return Located(url=found.url or url, captions=segments, title=found.title)
    trouble = (
        None
        if found.url
        else TranscriptionFailed(
            "expected a page with captions or with a recording in one file, found neither."
        )
    )
    return Located(url=found.url or url, title=found.title, trouble=trouble)
