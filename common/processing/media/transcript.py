"""A recording to timed text: the captions inside it, else recognised speech, part by part. Each part is kept
before the next begins, so that a long recording survives any number of hand-overs and none is cut short."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common.errors import TranscriptionFailed
from common.processing.base import Cache, Context, HandOver, SourceFile, StoredFile
from common.processing.media.captions import Segment, parse_captions
from common.processing.media.ffmpeg import SAMPLE_RATE, MediaFile

PART_SECONDS = 600.0
# A part must fit before the function's limit: recognition is about as fast as speech on a slow machine.
HAND_OVER_SECONDS = 60.0
SHORTEST_SECONDS = 0.1  # what is left after the last full part may be only a rounding error
MAX_SECONDS = 24 * 3600.0
NOT_CONFIGURED = (
    "no speech recognition is configured; set speech.model_dir to a faster-whisper model,"
    " or speech.base_url to an OpenAI-compatible service"
)

Report = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Transcript:
    segments: tuple[Segment, ...]
    origin: str  # "captions" or "speech"
    seconds: float = 0.0


def transcribe(
    source: SourceFile, context: Context, *, language: str | None, use_cache: bool, report: Report
) -> Transcript:
    media = MediaFile(source.path)
    if media.has_subtitles:
        track = media.subtitles(context.scratch / f"{source.sha256[:16]}.vtt")
        segments = parse_captions(track.read_bytes())
        if segments:
            return Transcript(segments=segments, origin="captions", seconds=media.seconds)
    if not media.has_sound:
        raise TranscriptionFailed(
            "The recording has no sound and no captions: there is nothing to write down."
        )
    if context.transcriber is None:
        raise TranscriptionFailed(f"The recording has no captions, and {NOT_CONFIGURED}.")
    if media.seconds > MAX_SECONDS:
        raise TranscriptionFailed(
            f"The recording lasts {media.seconds / 3600:.1f} hours;"
            f" at most {MAX_SECONDS / 3600:.0f} are recognised."
        )
    parts = _Parts(source, media, context, language=language, use_cache=use_cache, report=report)
    return Transcript(segments=parts.recognise(), origin="speech", seconds=media.seconds)


class _Parts:
    def __init__(
        self,
        source: SourceFile,
        media: MediaFile,
        context: Context,
        *,
        language: str | None,
        use_cache: bool,
        report: Report,
    ) -> None:
        name = getattr(context.transcriber, "name", "speech")
        self._source = source
        self._media = media
        self._context = context
        self._language = language
        self._report = report
        self._cache: Cache = context.cache("audio", source.sha256, f"{name}-{language or 'any'}")
        self._known: dict[str, StoredFile] = self._cache.names() if use_cache or context.checkpoint else {}

    def recognise(self) -> tuple[Segment, ...]:
        """Until the sound ends, whatever the file says about its length."""
        expected = max(1, -int(-self._media.seconds // PART_SECONDS))
        segments: list[Segment] = []
        number = 0
        while number * PART_SECONDS < MAX_SECONDS:
            self._report(number, max(expected, number + 1))
            found = self._part(number)
            if found is None:
                break
            segments.extend(found)
            number += 1
        return tuple(segments)

    def _part(self, number: int) -> list[Segment] | None:
        """None after the end."""
        name = f"part_{number:03}.json"
        if name in self._known:
            kept = json.loads(self._cache.read(name))
            return None if kept is None else [Segment(**one) for one in kept]
        if self._context.progress.seconds_left() < HAND_OVER_SECONDS:
            raise HandOver({"recording": self._source.sha256, "part": number})
        begin = number * PART_SECONDS
        sound = self._media.sound(
            self._context.scratch / f"part_{number:03}.wav", start=begin, seconds=PART_SECONDS
        )
        try:
            found = self._recognised(sound, begin) if _length(sound) > SHORTEST_SECONDS else None
        finally:
            sound.unlink(missing_ok=True)
        kept = None if found is None else [vars(one) for one in found]
        self._cache.write(name, json.dumps(kept).encode(), "application/json")
        return found

    def _recognised(self, sound: Path, begin: float) -> list[Segment]:
        transcriber = self._context.transcriber
        assert transcriber is not None  # noqa: S101 - checked before the parts are made
        found = transcriber.transcribe(sound, language=self._language)
        return [
            Segment(start=round(begin + start, 3), end=round(begin + end, 3), text=words)
            for start, end, text in found
            if (words := " ".join(text.split()))
        ]


def _length(sound: Path) -> float:
    if sound.stat().st_size <= 44:  # a header and no sound
        return 0.0
    with wave.open(str(sound), "rb") as file:
        return file.getnframes() / (file.getframerate() or SAMPLE_RATE)
