"""Runs ffmpeg on a local file, never on an address: no network, no playlists, a time limit, no leftovers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from common.errors import ProcessingTimeout, TranscriptionFailed, UnsupportedFile
from common.names import log_safe

RUN_SECONDS = 900.0
SAMPLE_RATE = 16_000  # what recognisers are trained on
REPORT_CHARACTERS = 300

# A playlist or a concat file inside a media file could name other files: only the file itself is read.
_SAFE_INPUT = ["-protocol_whitelist", "file,pipe", "-nostdin", "-hide_banner", "-loglevel", "error"]
_DURATION = re.compile(r"Duration: (\d+):(\d{2}):(\d{2}(?:\.\d+)?)")
_HAS_SOUND = re.compile(r"Stream #\d+:\d+.*: Audio: ")
_HAS_SUBTITLES = re.compile(r"Stream #\d+:\d+.*: Subtitle: (?:mov_text|subrip|webvtt|ass|text)")


class MediaFile:
    """What ffmpeg tells about a recording."""

    def __init__(self, path: Path) -> None:
        self.path = path
        told = _run([*_SAFE_INPUT[:2], "-nostdin", "-hide_banner", "-i", str(path)], may_fail=True)
        found = _DURATION.search(told)
        if found is None and "Input #0" not in told:
            raise UnsupportedFile(
                "Expected a recording that ffmpeg can read, found something else.",
                details={"ffmpeg": log_safe(told[-REPORT_CHARACTERS:])},
            )
        self.has_sound = bool(_HAS_SOUND.search(told))
        self.has_subtitles = bool(_HAS_SUBTITLES.search(told))
        self.seconds = _seconds(found.groups()) if found else 0.0  # 0: the file does not say

    def subtitles(self, target: Path) -> Path:
        """The first text track as WebVTT."""
        _run([*_SAFE_INPUT, "-i", str(self.path), "-map", "0:s:0", "-f", "webvtt", "-y", str(target)])
        return target

    def sound(self, target: Path, *, start: float, seconds: float) -> Path:
        """A part of the sound as 16 kHz mono WAV; empty when it starts after the end."""
        part = ["-ss", f"{start:.3f}", "-t", f"{seconds:.3f}", "-i", str(self.path)]
        form = ["-vn", "-sn", "-ac", "1", "-ar", str(SAMPLE_RATE), "-c:a", "pcm_s16le", "-f", "wav"]
        _run([*_SAFE_INPUT, *part, *form, "-y", str(target)])
        return target


def program() -> str:
    """The system's, else the one that comes as a package."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise TranscriptionFailed(
            "Recordings are read by ffmpeg, which is not installed: expected the program ffmpeg or the"
            " package imageio-ffmpeg."
        ) from None


def _run(arguments: list[str], *, may_fail: bool = False) -> str:
    process = subprocess.Popen(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, said = process.communicate(timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        raise ProcessingTimeout(f"ffmpeg did not finish within {RUN_SECONDS:.0f} seconds.") from None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    told = said.decode("utf-8", errors="replace")
    if process.returncode and not may_fail:
        raise UnsupportedFile(
            "ffmpeg could not read the recording; it may be damaged.",
            details={"ffmpeg": log_safe(told[-REPORT_CHARACTERS:])},
        )
    return told


def _seconds(clock: tuple[str, ...]) -> float:
    hours, minutes, seconds = clock
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
