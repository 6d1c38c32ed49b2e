"""What was said in a session: the text that was handed in, else captions, else recognised speech."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from common import media_type
from common.errors import Cancelled, ProcessingError, TranscriptionFailed
from common.outbound.guard import shown_url
from common.processing.base import Context, Warning
from common.processing.media.captions import MAX_CAPTIONS_BYTES, parse_captions, to_text
from common.processing.media.locate import locate
from common.processing.media.transcript import NOT_CONFIGURED, transcribe
from common.processing.session.media import Link
from common.processing.session.page import EventPage
from common.processing.session.parameters import SessionParameters

PERCENT, LAST_PERCENT = 60.0, 80.0


@dataclass(frozen=True, kw_only=True)
class Recording:
    video_url: str = ""
    transcript: str = ""
    warnings: tuple[Warning, ...] = ()


def read_recording(parameters: SessionParameters, page: EventPage, context: Context) -> Recording:
    video = parameters.video_url or next((link.url for link in (*page.videos, *page.players)), "")
    if parameters.video_transcript:
        return Recording(video_url=video, transcript=parameters.video_transcript.strip())
    captions = _in_order(page.captions, parameters.source_language or page.language)
    if not video and not captions:
        return Recording()
    context.progress.report("processing_recording", PERCENT)
    warnings: list[Warning] = []
    for link in captions:
        try:
            return Recording(video_url=video, transcript=_captions(link.url, context))
        except Cancelled:
            raise
        except ProcessingError as error:
            warnings.append(_left_out(f"The captions {shown_url(link.url)}", error))
    if video:
        try:
            return Recording(video_url=video, transcript=_spoken(video, parameters, page, context))
        except Cancelled:
            raise
        except ProcessingError as error:
            warnings.append(_left_out(f"The recording {shown_url(video)}", error))
    return Recording(video_url=video, warnings=tuple(warnings))


def _spoken(video: str, parameters: SessionParameters, page: EventPage, context: Context) -> str:
    """A recording is large: without recognition only its captions are looked for."""
    language = parameters.source_language or page.language or None
    located = locate(video, context, language=language)
    if located.captions:
        return to_text(located.captions)
    if context.transcriber is None:
        raise located.trouble or TranscriptionFailed(f"it has no captions, and {NOT_CONFIGURED}.")
    source = located.fetch(context)
    if not (media_type.is_audio(source.media_type) or media_type.is_video(source.media_type)):
        raise TranscriptionFailed(f"expected a recording, found {source.media_type}.")
    found = transcribe(
        source,
        context,
        language=language,
        use_cache=parameters.use_cache,
        report=lambda part, parts: context.progress.report(
            f"transcribing:{part + 1}/{parts}", PERCENT + (LAST_PERCENT - PERCENT) * part / parts
        ),
    )
    return to_text(found.segments)


def _in_order(captions: Sequence[Link], language: str) -> list[Link]:
    """In the language of the talk first; a translation is better than nothing."""
    return sorted(captions, key=lambda link: bool(link.language) and link.language != language)


def _captions(url: str, context: Context) -> str:
    source = context.sources.fetch(url=url)
    with source.path.open("rb") as file:
        segments = parse_captions(file.read(MAX_CAPTIONS_BYTES))
    if not segments:
        raise TranscriptionFailed(f"expected WebVTT or SRT captions, found {source.media_type}.")
    return to_text(segments)


def _left_out(what: str, error: ProcessingError) -> Warning:
    return Warning(code=error.code, message=f"{what} was left out: {error.message}")
