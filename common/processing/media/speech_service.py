"""Speech recognition by an OpenAI-compatible service: one part of a recording in, timed text out."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from common.errors import TranscriptionFailed
from common.names import log_safe, safe_name

if TYPE_CHECKING:
    import httpx

TIMEOUT_SECONDS = 600.0  # of one part of ten minutes


class TranscriptionPaused(TranscriptionFailed):
    """Raised when the service is busy or out of reach: asking again later can help."""

    retryable = True


class SpeechService:
    def __init__(
        self, *, model: str, base_url: str, api_key: str | None, http_client: httpx.Client | None = None
    ) -> None:
        self.name = safe_name(f"service-{model}").replace("+", "-")
        self._model = model
        self._base_url = base_url
        self._api_key = api_key or "not-needed"
        self._http_client = http_client

    def transcribe(self, audio: Path, *, language: str | None) -> Iterator[tuple[float, float, str]]:
        reply = self._ask(audio, language)
        segments = getattr(reply, "segments", None)
        if segments:
            for one in segments:
                yield one.start, one.end, one.text
        elif text := getattr(reply, "text", ""):  # a service without times: the whole part is one segment
            yield 0.0, _seconds(audio), text

    def _ask(self, audio: Path, language: str | None) -> Any:
        import openai

        client = openai.OpenAI(
            api_key=self._api_key,
            base_url=self._base_url,
            http_client=cast(Any, self._http_client),
            max_retries=2,
            timeout=TIMEOUT_SECONDS,
        )
        options = {"language": language} if language else {}
        try:
            with audio.open("rb") as file:
                return client.audio.transcriptions.create(
                    model=self._model,
                    file=file,
                    response_format="verbose_json",
                    **options,  # type: ignore[call-overload]
                )
        except openai.APIStatusError as error:
            kind = (
                TranscriptionPaused
                if error.status_code in (408, 429) or error.status_code >= 500
                else TranscriptionFailed
            )
            raise kind(
                f"The speech service answered {error.status_code}: {log_safe(error.message)}"
            ) from error
        except openai.APIConnectionError as error:
            raise TranscriptionPaused("The speech service did not answer.") from error


def _seconds(audio: Path) -> float:
    with wave.open(str(audio), "rb") as file:
        return file.getnframes() / file.getframerate()
