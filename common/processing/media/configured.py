"""The speech recognition that the settings name, or none."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from common.outbound.policy import OutboundPolicy
from common.processing.base import Transcriber
from common.processing.media.speech_service import TIMEOUT_SECONDS, SpeechService
from common.processing.media.whisper import WhisperTranscriber
from common.processing.transform.endpoint import endpoint_outbound
from common.settings import Speech


def configured_transcriber(options: Speech, policy: OutboundPolicy) -> Transcriber | None:
    """A model of the operator's own goes before a service."""
    if options.model_dir is not None:
        return _whisper(options.model_dir)
    if options.base_url is None:
        return None
    outbound = endpoint_outbound(policy, options.base_url)
    return SpeechService(
        model=options.model,
        base_url=options.base_url,
        api_key=options.api_key.get_secret_value() if options.api_key else None,
        http_client=outbound.httpx_client(idle_seconds=TIMEOUT_SECONDS, total_seconds=2 * TIMEOUT_SECONDS),
    )


@lru_cache(maxsize=1)
def _whisper(folder: Path) -> WhisperTranscriber:
    """Once in a process: loading a model takes seconds and most of its memory."""
    return WhisperTranscriber(folder)
