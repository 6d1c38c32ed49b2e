"""Recordings on the pages of video sites: found by the real yt-dlp, on a site of the test's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import ProcessingError, TranscriptionFailed, UrlNotAllowed
from common.outbound.client import Outbound
from common.processing.media.video_site import found_in, look_up
from tests.servers.site import site
from tests.unit.outbound.loopback import Loopback, local_policy
from tests.unit.processing.desk import Desk
from tests.unit.processing.media.test_handler import Counting, make_sound, run

VTT = "WEBVTT\n\n00:01.000 --> 00:02.000\nWritten by hand.\n"
PLAYER = (
    '<html><head><title>Player</title></head><body><script>jwplayer("p").setup(%s);</script></body></html>'
)


def player(**setup: Any) -> str:
    """A page as many sites have it: the recording stands in a script, where no link shows it."""
    return PLAYER % json.dumps({"title": "A talk: the film"} | setup)


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    make_sound(folder / "talk.wav", 3)
    (folder / "talk.vtt").write_text(VTT)
    return folder


def test_captions_of_the_page_spare_the_recording(web: Path, tmp_path: Path) -> None:
    tracks = [{"file": "talk.vtt", "kind": "captions", "label": "en"}]
    (web / "watch.html").write_text(player(file="gone.mp4", tracks=tracks))
    desk = Desk(tmp_path)
    with site(web) as address:
        result = run(desk, f"{address}/watch.html", source_language="en")
    assert result.texts["video_transcript"] == "Written by hand."
    assert result.metadata["transcript_from"] == "captions"
    assert result.markdown_file == "A_talk_the_film.md"


def test_a_recording_without_captions_is_fetched_and_heard(web: Path, tmp_path: Path) -> None:
    (web / "watch.html").write_text(player(file="talk.wav"))
    ears = Counting()
    with site(web) as address:
        result = run(Desk(tmp_path), f"{address}/watch.html", transcriber=ears)
    assert ears.heard == [3.0]
    assert result.metadata["transcript_from"] == "speech"


def test_a_page_without_a_recording_is_told(web: Path, tmp_path: Path) -> None:
    (web / "words.html").write_text("<html><title>Words</title><body><p>Only words.</p></body></html>")
    with (
        site(web) as address,
        pytest.raises(TranscriptionFailed, match="expected a page with a recording, found one without"),
    ):
        run(Desk(tmp_path), f"{address}/words.html", transcriber=Counting())


def test_an_address_without_an_ending_may_be_a_file(web: Path, tmp_path: Path) -> None:
    (web / "talk.wav").rename(web / "talk")
    ears = Counting()
    with site(web) as address:
        run(Desk(tmp_path), f"{address}/talk", transcriber=ears)
    assert ears.heard == [3.0]


@pytest.mark.parametrize("file", ["file:///etc/hostname", "ftp://127.0.0.1/talk.mp4"])
def test_what_is_no_web_address_is_never_opened(web: Path, tmp_path: Path, file: str) -> None:
    (web / "watch.html").write_text(player(file=file))
    with site(web) as address, pytest.raises(TranscriptionFailed, match=r"found (neither|none)"):
        run(Desk(tmp_path), f"{address}/watch.html", transcriber=Counting())


def test_a_page_that_points_inside_is_refused(web: Path, tmp_path: Path) -> None:
    (web / "watch.html").write_text(player(file="http://10.1.2.3/talk.mp4"))
    with site(web) as address, pytest.raises(UrlNotAllowed, match=r"10\.1\.2\.3"):
        run(Desk(tmp_path), f"{address}/watch.html", transcriber=Counting())


def test_yt_dlp_itself_cannot_reach_inside() -> None:
    """It follows a redirect without asking; the proxy in front of it does ask."""
    with Loopback() as server, Outbound(local_policy()) as outbound:
        inside = "http://169.254.169.254/latest/meta-data"
        server.routes["/watch"] = lambda exchange: exchange.reply(302, headers={"Location": inside})
        with pytest.raises(UrlNotAllowed, match=r"169\.254\.169\.254"):
            look_up(server.url("/watch"), outbound, language=None)


def test_an_address_that_is_not_allowed_starts_nothing() -> None:
    with Outbound(local_policy()) as outbound, pytest.raises(UrlNotAllowed):
        look_up("http://192.168.0.1/watch", outbound, language=None)


def caption(name: str, ext: str = "vtt") -> list[dict[str, str]]:
    return [
        {"ext": "json3", "url": f"https://v.example/{name}.json3"},
        {"ext": ext, "url": f"https://v.example/{name}"},
    ]


def test_the_best_captions_come_first_and_the_smallest_sound() -> None:
    said = {
        "title": "Talk",
        "language": "en",
        "subtitles": {"fr": caption("fr"), "en-GB": caption("en"), "live_chat": caption("chat", "json")},
        "automatic_captions": {"de": caption("auto-de"), "en-orig": caption("auto-en")},
        "formats": [
            {"url": "https://v.example/list", "protocol": "m3u8_native", "vcodec": "none", "filesize": 1},
            {"url": "https://v.example/picture", "protocol": "https", "acodec": "none", "filesize": 2},
            {"url": "https://v.example/film", "protocol": "https", "vcodec": "avc1", "filesize": 50},
            {"url": "https://v.example/large", "protocol": "https", "vcodec": "none", "filesize": 900},
            {"url": "https://v.example/small", "protocol": "https", "vcodec": "none", "filesize": 300},
        ],
    }
    names = ["en", "auto-en", "fr"]
    found = found_in(json.dumps(said).encode(), language=None)
    assert found.captions == tuple(f"https://v.example/{name}" for name in names)
    assert found.url == "https://v.example/small"
    german = found_in(json.dumps({"_type": "playlist", "entries": [said]}).encode(), language="de")
    assert german.captions[0] == "https://v.example/auto-de"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("http://v.example/a"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["formats", "subtitles", "entries", "url", "en", "ext", "protocol", "filesize", "title"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(anything)
def test_whatever_a_page_makes_it_say_is_read_or_refused_by_name(said: Any) -> None:
    try:
        found = found_in(json.dumps(said).encode(), language="en")
    except ProcessingError:
        return
    assert found.url is None or found.url.startswith("http")
