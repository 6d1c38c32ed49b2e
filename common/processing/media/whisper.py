"""Speech recognition on this machine: faster-whisper with a model folder that the operator supplies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.errors import TranscriptionFailed
from common.names import log_safe, safe_name

# Without the second, the library would ask the internet for one, past our guard.
FILES = ("model.bin", "tokenizer.json")


class WhisperTranscriber:
    """The model is loaded with the first recording: most jobs have none."""

    def __init__(self, folder: Path) -> None:
        self.name = safe_name(f"whisper-{folder.name}").replace("+", "-")
        self._folder = folder
        self._model: Any = None

    def transcribe(self, audio: Path, *, language: str | None) -> Iterator[tuple[float, float, str]]:
        model = self._loaded()
        known = language if language in model.supported_languages else None  # None: it listens for itself
        segments, _ = model.transcribe(str(audio), language=known, vad_filter=True)
        for one in segments:
            yield one.start, one.end, one.text

    def _loaded(self) -> Any:
        if self._model is None:
            self._model = self._load()
        return self._model

    def _load(self) -> Any:
        try:
            from faster_whisper import WhisperModel
        except ImportError:
            raise TranscriptionFailed(
                "speech.model_dir is set, but faster-whisper is not installed: expected the extra"
                " `secretary[speech]`."
            ) from None
        missing = [name for name in FILES if not (self._folder / name).is_file()]
        if missing:
            raise TranscriptionFailed(
                f"speech.model_dir: expected a folder with a faster-whisper model ({', '.join(FILES)}),"
                f" found one without {' and '.join(missing)}."
            )
        try:
            return WhisperModel(str(self._folder), device="cpu", compute_type="int8", local_files_only=True)
        except (RuntimeError, ValueError) as error:
            raise TranscriptionFailed(
                f"speech.model_dir: expected a faster-whisper model, found one that cannot be loaded"
                f" ({log_safe(error)})."
            ) from error
