"""Asks yt-dlp where the recording of a page is, and its captions. It runs as a child program behind the
guarding proxy and only looks: what it finds is fetched by our own client, like any other address."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from common.errors import ProcessingTimeout, TranscriptionFailed
from common.names import log_safe
from common.outbound.client import Outbound
from common.outbound.proxy import GuardingProxy
from common.processing.base import FoundRecording

LOOK_SECONDS = 90.0
LOOK_BYTES = 64 * 1024**2  # pages and lists of formats, never a recording
MOST_CAPTIONS = 3
REPORT_CHARACTERS = 300
# Sites where talks are shown. The others would be code for a thousand sites that nobody asked for.
EXTRACTORS = (
    *("generic", "html5", "youtube", "YoutubeYtBe", "vimeo", "media.ccc.de", "PeerTube", "dailymotion"),
    *(
        "archive.org",
        "twitch:vod",
        "Wistia",
        "Kaltura",
        "Panopto",
        "Opencast",
        "InfoQ",
        "TedTalk",
        "TedEmbed",
    ),
)
OPTIONS = (
    *("--ignore-config", "--no-plugin-dirs", "--no-cache-dir", "--no-js-runtimes", "--no-remote-components"),
    *("--dump-single-json", "--skip-download", "--ignore-no-formats-error", "--no-playlist"),
    *("--playlist-items", "1", "--socket-timeout", "20", "--retries", "1", "--extractor-retries", "1"),
    *("--no-warnings", "--use-extractors", ",".join(EXTRACTORS)),
)
_CAPTION_FORMS = ("vtt", "srt")


def look_up(url: str, outbound: Outbound, *, language: str | None) -> FoundRecording:
    outbound.check(url)
    if importlib.util.find_spec("yt_dlp") is None:
        raise TranscriptionFailed("its page can only be read by yt-dlp, which is not installed.")
    with outbound.proxy(max_bytes=LOOK_BYTES) as proxy:
        code, told, trouble = _run(url, proxy)
        if code:
            proxy.check()
            raise TranscriptionFailed(f"expected a page with a recording, found {_reason(trouble)}.")
    return found_in(told, language=language)


def found_in(told: bytes, *, language: str | None) -> FoundRecording:
    """What yt-dlp printed. It hands on what a page says, so every value may be anything."""
    try:
        said = json.loads(told)
    except (ValueError, RecursionError):
        said = None
    entries = said.get("entries") if isinstance(said, dict) else None
    video = entries[0] if isinstance(entries, list) and entries else said
    if not isinstance(video, dict):
        raise TranscriptionFailed("expected a page with a recording, found none.")
    return FoundRecording(
        title=str(video.get("title") or ""),
        captions=tuple(dict.fromkeys(_captions(video, language)))[:MOST_CAPTIONS],
        url=_sound(video.get("formats") or [video]),
    )


def _captions(video: dict[str, Any], language: str | None) -> Iterable[str]:
    """Written ones in the talk's language, then a machine's, then written ones in another language."""
    written, heard = (_by_language(video.get(name)) for name in ("subtitles", "automatic_captions"))
    spoken = language or str(video.get("language") or "")[:2]
    for offered in (written, heard):
        yield from (url for code, url in offered if spoken and code.split("-")[0] == spoken)
    yield from (url for code, url in heard if code.endswith("-orig"))
    yield from (url for _, url in written)


def _by_language(offered: Any) -> list[tuple[str, str]]:
    if not isinstance(offered, dict):
        return []
    return [
        (str(code).lower(), form["url"])
        for code, forms in offered.items()
        for form in (forms if isinstance(forms, list) else [])
        if isinstance(form, dict) and form.get("ext") in _CAPTION_FORMS and _is_web(form.get("url"))
    ]


def _sound(formats: Any) -> str | None:
    """The smallest single file with sound, without pictures if there is such a one."""
    fit = [
        one
        for one in (formats if isinstance(formats, list) else [])
        if isinstance(one, dict) and _is_web(one.get("url")) and one.get("acodec") != "none"
        if str(one.get("protocol") or "http") in ("http", "https")
    ]
    best = min(fit, key=lambda one: (one.get("vcodec") != "none", _size(one)), default=None)
    return best["url"] if best else None


def _size(form: dict[str, Any]) -> float:
    sizes = (form.get(name) for name in ("filesize", "filesize_approx", "tbr"))
    return next((float(size) for size in sizes if isinstance(size, (int, float)) and size > 0), float("inf"))


def _is_web(url: Any) -> bool:
    return isinstance(url, str) and url.startswith(("http://", "https://"))


def _run(url: str, proxy: GuardingProxy) -> tuple[int, bytes, bytes]:
    command = [sys.executable, "-I", "-m", "yt_dlp", *OPTIONS, "--proxy", proxy.url, "--", url]
    with tempfile.TemporaryDirectory(prefix="secretary-look-") as home:
        # Nothing of ours is in its environment: no key, no address of a store.
        process = subprocess.Popen(
            command,
            cwd=home,
            env={"PATH": os.defpath, "HOME": home, "LANG": "C.UTF-8", **proxy.environment()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            told, trouble = process.communicate(timeout=LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            raise ProcessingTimeout(f"yt-dlp did not finish within {LOOK_SECONDS:.0f} seconds.") from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, told, trouble


def _reason(trouble: bytes) -> str:
    lines = [line for line in trouble.decode("utf-8", "replace").splitlines() if line.startswith("ERROR")]
    said = lines[-1].removeprefix("ERROR:").strip() if lines else ""
    if not said or "Unsupported URL" in said:
        return "one without"
    short = log_safe(said.split(" (caused by")[0].split("; please report")[0])[:REPORT_CHARACTERS]
    return f"one that yt-dlp cannot read ({short})"
