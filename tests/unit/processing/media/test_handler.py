from __future__ import annotations

import math
import re
import struct
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from common.errors import TranscriptionFailed, UnsupportedFile
from common.processing.base import HandOver, Result, Transcriber
from common.processing.media import transcript
from common.processing.media.captions import parse_captions
from common.processing.media.handler import handle
from common.processing.media.parameters import MediaParameters
from common.processing.media.speech_service import SpeechService, TranscriptionPaused
from tests.servers.openai_server import Fault, OpenAiServer
from tests.servers.site import site
from tests.unit.processing.desk import Desk
from tests.unit.shared_files import FIXTURES, needs_shared


class Counting:
    """Says how long each part was that it heard."""

    name = "counting"

    def __init__(self) -> None:
        self.heard: list[float] = []

    def transcribe(self, audio: Path, *, language: str | None) -> Iterator[tuple[float, float, str]]:
        with wave.open(str(audio)) as file:
            assert (file.getframerate(), file.getnchannels()) == (16_000, 1)
            seconds = file.getnframes() / file.getframerate()
        self.heard.append(round(seconds, 1))
        yield 0.0, seconds, f"part {len(self.heard)}."


class Moonshine:
    """Real recognition with the small English model that comes inside a test package."""

    name = "moonshine"

    def transcribe(self, audio: Path, *, language: str | None) -> Iterator[tuple[float, float, str]]:
        from moonshine_voice import ModelArch
        from moonshine_voice.transcriber import Transcriber as Recogniser
        from moonshine_voice.utils import get_model_path, load_wav_file

        samples, rate = load_wav_file(audio)
        recogniser = Recogniser(model_path=str(get_model_path("tiny-en")), model_arch=ModelArch.TINY)
        for line in recogniser.transcribe_without_streaming(samples, rate).lines:
            yield line.start_time, line.start_time + line.duration, line.text


def make_sound(path: Path, seconds: float) -> None:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8_000, 0, "NONE", ""))
        samples = (int(8_000 * math.sin(number / 5)) for number in range(int(seconds * 8_000)))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    make_sound(folder / "talk.wav", 25)
    return folder


def run(desk: Desk, url: str, *, transcriber: Transcriber | None = None, **more: Any) -> Result:
    return handle(MediaParameters.model_validate({"url": url} | more), desk.context(transcriber=transcriber))


def test_a_recording_becomes_timed_text_and_a_note(web: Path, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with site(web) as address:
        result = run(desk, f"{address}/talk.wav", transcriber=Counting())
    assert parse_captions(desk.files.read("talk.vtt"))[0].text == "part 1."
    assert desk.files.read("talk.txt") == b"part 1."
    assert result.markdown_file == "talk.md" and "# talk\n\npart 1." in result.markdown
    assert result.metadata["duration_seconds"] == 25.0
    assert result.metadata["transcript_from"] == "speech"
    assert result.archive_name == "talk.zip"


def test_a_long_recording_is_heard_in_parts_and_none_twice(
    web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "PART_SECONDS", 10.0)
    desk, ears = Desk(tmp_path), Counting()
    with site(web) as address:
        parameters = MediaParameters(url=f"{address}/talk.wav", use_cache=False)
        first = desk.context(transcriber=ears)
        desk.steps.seconds = 30.0  # less than a part needs: hand over at once
        with pytest.raises(HandOver) as handed:
            handle(parameters, first)
        assert handed.value.checkpoint["part"] == 0
        result = handle(parameters, desk.context(transcriber=ears, checkpoint=handed.value.checkpoint))
        assert ears.heard == [10.0, 10.0, 5.0]
        again = handle(parameters, desk.context(transcriber=ears, checkpoint={"part": 2}))
    assert len(ears.heard) == 3, "every part was kept"
    times = [(one.start, one.end) for one in parse_captions(desk.files.read("talk.vtt"))]
    assert times == [(0.0, 10.0), (10.0, 20.0), (20.0, 25.0)]
    assert result.markdown == again.markdown


def test_captions_beside_the_recording_spare_its_download(web: Path, tmp_path: Path) -> None:
    (web / "film.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nWritten by hand.\n")
    with site(web) as address:  # there is no film.mp4
        result = run(Desk(tmp_path), f"{address}/film.mp4")
    assert result.texts["video_transcript"] == "Written by hand."
    assert result.metadata["transcript_from"] == "captions"


def test_without_recognition_it_is_told_how_to_configure_one(web: Path, tmp_path: Path) -> None:
    with (
        site(web) as address,
        pytest.raises(TranscriptionFailed, match=r"speech\.model_dir.*speech\.base_url"),
    ):
        run(Desk(tmp_path), f"{address}/talk.wav")


def test_what_is_no_recording_is_refused_by_its_kind(web: Path, tmp_path: Path) -> None:
    (web / "page.mp3").write_text("<!doctype html><title>Not found</title>")
    with site(web) as address, pytest.raises(UnsupportedFile, match="text/html; expected a recording"):
        run(Desk(tmp_path), f"{address}/page.mp3", transcriber=Counting())


def test_a_damaged_recording_is_a_named_fault(web: Path, tmp_path: Path) -> None:
    (web / "broken.mp4").write_bytes(b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + b"\xff" * 500)
    with site(web) as address, pytest.raises(UnsupportedFile, match="ffmpeg"):
        run(Desk(tmp_path), f"{address}/broken.mp4", transcriber=Counting())


def test_a_service_recognises_speech(web: Path, tmp_path: Path) -> None:
    with site(web) as address, OpenAiServer(transcript=[(0.0, 1.5, " Good"), (1.5, 2.0, "day.")]) as server:
        service = SpeechService(model="whisper-1", base_url=server.base_url, api_key="k")
        result = run(Desk(tmp_path), f"{address}/talk.wav", transcriber=service, source_language="en")
        (call,) = server.seen
    assert result.texts["video_transcript"] == "Good day."
    assert b'name="language"\r\n\r\nen' in call.body and b"RIFF" in call.body


@pytest.mark.parametrize(
    ("status", "kind", "retryable"), [(503, TranscriptionPaused, True), (400, TranscriptionFailed, False)]
)
def test_a_service_that_fails_is_told(
    web: Path, tmp_path: Path, status: int, kind: type[TranscriptionFailed], retryable: bool
) -> None:
    faults = [Fault(status=status, headers={"Retry-After": "0"})] * 3
    with site(web) as address, OpenAiServer(faults=faults) as server:
        service = SpeechService(model="whisper-1", base_url=server.base_url, api_key=None)
        with pytest.raises(kind, match=str(status)) as failed:
            run(Desk(tmp_path), f"{address}/talk.wav", transcriber=service)
    assert failed.value.retryable is retryable


@needs_shared
def test_real_speech_is_recognised_with_few_word_errors(tmp_path: Path) -> None:
    pytest.importorskip("moonshine_voice")
    from rapidfuzz.distance import Levenshtein

    with site(FIXTURES) as address:
        result = run(Desk(tmp_path), f"{address}/audio/jfk_en.flac", transcriber=Moonshine())
    said = re.findall(r"[a-z']+", (FIXTURES / "audio" / "jfk_en.txt").read_text().lower())
    heard = re.findall(r"[a-z']+", result.texts["video_transcript"].lower())
    assert Levenshtein.distance(said, heard) / len(said) < 0.15
    assert "what your country can do for you" in " ".join(heard)
