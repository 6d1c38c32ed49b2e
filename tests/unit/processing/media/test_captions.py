from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.processing.media.captions import Segment, parse_captions, to_text, to_vtt
from common.processing.media.side_captions import caption_urls
from tests.unit.shared_files import FIXTURES, needs_shared

VTT = b"""WEBVTT - title

NOTE a comment

1
00:01.500 --> 00:02.000 align:start
<v Ada>Hello &amp; <i>welcome</i>

00:00:02.100 --> 01:00:03.000
to the talk.
"""
SRT = (
    b"1\r\n00:00:01,500 --> 00:00:02,000\r\n{\\an8}Hallo\r\nWelt\r\n\r\n"
    b"2\r\n00:00:05,000 --> 00:00:06,000\r\nEnde.\r\n"
)
LIVE = b"""WEBVTT

00:00.000 --> 00:02.000
first line

00:02.000 --> 00:04.000
first line
second line

00:04.000 --> 00:06.000
second line
third line
"""


def test_web_captions_are_read_with_their_times() -> None:
    assert parse_captions(VTT) == (
        Segment(start=1.5, end=2.0, text="Hello & welcome"),
        Segment(start=2.1, end=3603.0, text="to the talk."),
    )


def test_subrip_captions_are_read_and_a_pause_starts_a_paragraph() -> None:
    segments = parse_captions(SRT)
    assert [one.text for one in segments] == ["Hallo Welt", "Ende."]
    assert to_text(segments) == "Hallo Welt\n\nEnde."


def test_lines_that_live_captions_repeat_are_kept_once() -> None:
    assert to_text(parse_captions(LIVE)) == "first line second line third line"


@pytest.mark.parametrize("data", [b"", b"WEBVTT", b"<html>no</html>", b"\xff\xfe\x00", b"00:01 --> 00:02\nx"])
def test_what_is_no_captions_gives_nothing(data: bytes) -> None:
    assert parse_captions(data) == ()


words = st.text(alphabet=st.characters(categories=["L", "P", "S", "Nd"]), min_size=1, max_size=20)
segments = st.builds(
    lambda start, length, text: Segment(start=start / 1000, end=(start + length) / 1000, text=text),
    st.integers(0, 10**8),
    st.integers(0, 10**5),
    words,
)


@given(st.lists(segments, max_size=5, unique_by=lambda one: one.text))
def test_what_is_written_is_read_again(given_segments: list[Segment]) -> None:
    assert parse_captions(to_vtt(given_segments).encode()) == tuple(given_segments)


@needs_shared
def test_the_shared_captions_have_five_cues() -> None:
    found = parse_captions((FIXTURES / "audio" / "talk.en.vtt").read_bytes())
    assert len(found) == 5
    assert "registers" in to_text(found)


def test_captions_are_looked_for_beside_the_recording_only() -> None:
    assert caption_urls("https://v.example/a b/talk.av1.webm?x=1#t", "en") == [
        "https://v.example/a b/talk.av1.en.vtt",
        "https://v.example/a b/talk.av1.vtt",
    ]
    assert caption_urls("https://youtu.be/abc", "en") == []
