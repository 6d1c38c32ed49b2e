"""Recognition on this machine, with the real faster-whisper and a made model that says what it is told to."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import TranscriptionFailed
from common.outbound.policy import OutboundPolicy
from common.processing.base import Transcriber
from common.processing.media.configured import configured_transcriber
from common.processing.media.whisper import WhisperTranscriber
from common.settings import load_settings
from tests.servers.site import site
from tests.unit.processing.desk import Desk
from tests.unit.processing.media.test_handler import make_sound, run
from tests.unit.processing.media.tiny_whisper import make_tiny_whisper
from tests.unit.shared_files import FIXTURES, needs_shared

pytest.importorskip("faster_whisper", reason="the extra `speech` is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_whisper(tmp_path_factory.mktemp("models") / "tiny", ["Bread", "is", "baked."], seconds=4)


def of_settings(folder: Path) -> Transcriber:
    settings = load_settings({"SECRETARY_SPEECH__MODEL_DIR": str(folder)})
    found = configured_transcriber(settings.speech, OutboundPolicy())
    assert found is not None
    return found


@needs_shared
@pytest.mark.parametrize("language", ["en", "de", None])
def test_speech_goes_through_the_model_and_keeps_its_times(
    folder: Path, tmp_path: Path, language: str | None
) -> None:
    desk = Desk(tmp_path)
    with site(FIXTURES) as address:
        result = run(
            desk,
            f"{address}/audio/jfk_en.flac",
            transcriber=of_settings(folder),
            source_language=language,
        )
    assert result.texts["video_transcript"] == " ".join(["Bread is baked."] * 3)
    vtt = desk.files.read("jfk_en.vtt").decode()
    assert "00:00:04.000 --> 00:00:08.000\nBread is baked." in vtt
    assert result.metadata["transcript_from"] == "speech"
    assert [key for key in desk.caches if key.startswith("audio")], (
        "what was heard is kept by the model's name"
    )


def test_sound_without_speech_is_told(folder: Path, tmp_path: Path) -> None:
    make_sound(tmp_path / "tone.wav", 3)
    with site(tmp_path) as address, pytest.raises(TranscriptionFailed, match="no speech was found"):
        run(Desk(tmp_path), f"{address}/tone.wav", transcriber=of_settings(folder))


@pytest.mark.parametrize("missing", ["model.bin", "tokenizer.json"])
def test_a_folder_that_is_no_model_is_told(folder: Path, tmp_path: Path, missing: str) -> None:
    """Without the tokenizer the library would ask the internet for one."""
    for name in {"model.bin", "tokenizer.json"} - {missing}:
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(TranscriptionFailed, match=f"found one without {missing}"):
        next(WhisperTranscriber(tmp_path).transcribe(tmp_path / "a.wav", language=None))


def test_a_damaged_model_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    (tmp_path / "model.bin").write_bytes((folder / "model.bin").read_bytes()[:5000])
    with pytest.raises(TranscriptionFailed, match="cannot be loaded"):
        next(WhisperTranscriber(tmp_path).transcribe(tmp_path / "a.wav", language=None))
