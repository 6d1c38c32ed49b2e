"""Speech recognition on this machine: faster-whisper with a model folder that the operator supplies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.errors import TranscriptionFailed
from common.names import safe_name


class WhisperTranscriber:
    """The model is loaded with the first recording: most jobs have none."""

    def __init__(self, folder: Path) -> None:
        self.name = safe_name(f"whisper-{folder.name}").replace("+", "-")
        self._folder = folder
        self._model: Any = None

    def transcribe(self, audio: Path, *, language: str | None) -> Iterator[tuple[float, float, str]]:
        segments, _ = self._loaded().transcribe(str(audio), language=language, vad_filter=True)
        for one in segments:
            yield one.start, one.end, one.text

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                from faster_whisper import WhisperModel
            except ImportError:
                raise TranscriptionFailed(
                    "speech.model_dir is set, but faster-whisper is not installed: expected the extra"
                    " `secretary[speech]`."
                ) from None
            if not (self._folder / "model.bin").is_file():
                raise TranscriptionFailed(
                    "speech.model_dir: expected a folder with a faster-whisper model (model.bin), found none."
                )
            self._model = WhisperModel(
                str(self._folder), device="cpu", compute_type="int8", local_files_only=True
            )
        return self._model
