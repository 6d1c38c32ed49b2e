import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import SecretaryError, UnsupportedFile, ValidationFailed
from common.processing.session.schedule import Filters, Schedule, read_schedule, select, session_parameters
from tests.unit.shared_files import FIXTURES, needs_shared

EVENT = """<event id="1"><start>09:05</start><duration>00:20</duration><slug>net_ipfix</slug>
<title>Flow: a tour</title><track>Network</track><type>devroom</type><language/>
<abstract>&lt;p&gt;Escaped&lt;/p&gt;</abstract>
<persons><person id="7">Ada Lovelace</person><person id="8"/></persons>
<attachments>
<attachment type="slides" href="https://f.org/2024/schedule/event/net_ipfix/attachments/1/s.pdf">s</attachment>
<attachment type="slides" href="https://f.org/2024/schedule/event/net_ipfix/attachments/2/code.zip">z</attachment>
<attachment type="paper" href="https://f.org/2024/schedule/event/net_ipfix/attachments/3/download">d</attachment>
</attachments><links><link href="https://chat.f.org/#/room">Chat room (web)</link>
<link href="https://v.f.org/H.1301 (Cornil)/a.webm">Video recording (WebM/VP9, 44M)</link>
<link href="https://v.f.org/H.1301 (Cornil)/a.mp4">Video recording (mp4/aac, 120M)</link>
<link href="https://f.org/feedback/1.php">Submit feedback</link></links></event>"""


def xml(*events: str, conference: str = "<title>F 2024</title>", before: str = "") -> bytes:
    return (
        f"<?xml version='1.0'?><schedule><conference>{conference}</conference>{before}"
        f'<day index="1" date="2024-02-03"><room name="H.1301">{"".join(events)}</room></day></schedule>'
    ).encode()


def frab(event: dict[str, Any], **schedule: Any) -> bytes:
    day = {"index": 1, "date": "2020-12-27", "rooms": {"Saal 1": [event]}}
    return json.dumps({"schedule": {**schedule, "conference": {"title": "rC3", "days": [day]}}}).encode()


def only(schedule: Schedule) -> dict[str, Any]:
    (event,) = schedule.events
    return session_parameters(schedule, event)


def test_an_old_file_without_date_or_url_gives_complete_parameters() -> None:
    people = '<persons><person id="8">Grace Hopper</person></persons>'
    assert only(read_schedule(xml(EVENT, before=people))) == {
        "event": "F 2024",
        "session": "Flow: a tour",
        "url": "https://f.org/2024/schedule/event/net_ipfix/",
        "filename": "Flow_a_tour.md",
        "track": "Network",
        "day": "2024-02-03",
        "starttime": "09:05",
        "endtime": "09:25",
        "speakers": ["Ada Lovelace", "Grace Hopper"],
        "video_url": "https://v.f.org/H.1301%20(Cornil)/a.mp4",
        "attachments_url": [
            "https://f.org/2024/schedule/event/net_ipfix/attachments/1/s.pdf",
            "https://f.org/2024/schedule/event/net_ipfix/attachments/3/download",
        ],
    }


@pytest.mark.parametrize(
    ("conference", "source"),
    [
        ("<title>F</title><base_url>https://f.org/2024/schedule/</base_url>", ""),
        ("<title>F</title><base_url>https://f.org/2024/schedule</base_url>", ""),
        ("<title>F</title>", "https://f.org/2024/schedule/xml"),
    ],
)
def test_the_address_of_a_talk_is_found_by_its_slug(conference: str, source: str) -> None:
    event = "<event><title>T</title><slug>abc</slug></event>"
    (found,) = read_schedule(xml(event, conference=conference), url=source).events
    assert found.url == "https://f.org/2024/schedule/event/abc/"


def test_json_attachments_may_be_relative_and_names_stand_in_several_keys() -> None:
    event = {
        "title": "Gluon",
        "url": "https://p.org/rc3/talk/MJA8QY/",
        "date": "2020-12-27T23:50:00+01:00",
        "start": "23:50",
        "duration": "00:40",
        "language": "de",
        "persons": [
            {"public_name": "Chris"},
            {"name": "Kasa"},
            {"full_public_name": "Eva"},
            "Ulf",
            {"id": 1},
        ],
        "attachments": [{"url": "/media/folien.pdf", "title": "Folien"}],
        "links": [{"url": "https://media.ccc.de/v/x", "title": "Recording"}],
    }
    parameters = only(read_schedule(frab(event, base_url="https://p.org/rc3/schedule/")))
    assert parameters["attachments_url"] == ["https://p.org/media/folien.pdf"]
    assert parameters["speakers"] == ["Chris", "Kasa", "Eva", "Ulf"]
    assert parameters["video_url"] == "https://media.ccc.de/v/x"
    assert (parameters["day"], parameters["starttime"], parameters["endtime"]) == (
        "2020-12-27",
        "23:50",
        "00:30",
    )
    assert parameters["source_language"] == "de"
    assert parameters["track"] == "General"


def test_talks_of_one_title_get_names_of_their_own_that_filters_do_not_change() -> None:
    welcome = "<event><title>Welcome</title><track>{}</track></event>"
    schedule = read_schedule(xml(welcome.format("A"), welcome.format("B")))
    (second,) = select(schedule, Filters(track=("b",)))
    assert second.filename == "Welcome_2.md"


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        (Filters(), 1),
        (Filters(track=("NETWORK", "other")), 1),
        (Filters(room=("h.1301",)), 1),
        (Filters(day=("2024-02-03",)), 1),
        (Filters(day=("1",)), 1),
        (Filters(day=("saturday",)), 1),
        (Filters(type=("devroom",), limit=5), 1),
        (Filters(limit=0), 0),
    ],
)
def test_filters_choose_events(filters: Filters, count: int) -> None:
    assert len(select(read_schedule(xml(EVENT)), filters)) == count


def test_a_filter_that_leaves_nothing_tells_what_there_is() -> None:
    with pytest.raises(ValidationFailed, match=r"No event has the track 'Netwrk'; the schedule has: Network"):
        select(read_schedule(xml(EVENT)), Filters(track=("Netwrk",)))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty answer"),
        (b"OggS\0\2\0\0\0\0", "audio/ogg"),
        (b"\1\2\0\3", "binary data"),
        (b"<!DOCTYPE html><html><body><br></body></html>", r"a web page \(HTML\)"),
        (b"<html><body></body></html>", r"a web page \(HTML\)"),
        (b"<rss></rss>", "XML with the root 'rss'"),
        (b"<schedule><day>", "XML with a fault"),
        (b"{", "JSON with a fault"),
        (b'{"talks": [], "rooms": []}', "the keys 'talks, rooms'"),
        (b"[1]", "a list at the top"),
        (b"BEGIN:VCALENDAR", "'begin:vcalendar'"),
    ],
)
def test_what_is_no_schedule_is_named_with_what_was_expected(data: bytes, found: str) -> None:
    with pytest.raises(UnsupportedFile, match=rf"Expected a schedule \(Pentabarf XML.*found.*{found}"):
        read_schedule(data)


@pytest.mark.parametrize("data", [xml(), frab({})])
def test_a_schedule_without_events_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFile, match="has no events"):
        read_schedule(data)


def test_entities_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE schedule [<!ENTITY a0 "ha">{bomb}<!ENTITY file SYSTEM "{secret.as_uri()}">]>'
    body = xml("<event><title>&file;&a9;x</title></event>").decode().replace("<?xml version='1.0'?>", head)
    try:
        schedule = read_schedule(body.encode())
    except UnsupportedFile:
        return
    assert "secret" not in repr(schedule)
    assert len(repr(schedule)) < 10_000


def test_nine_hundred_events_are_read_in_a_moment() -> None:
    started = time.process_time()
    schedule = read_schedule(xml(*[EVENT] * 900))
    parameters = [session_parameters(schedule, event) for event in schedule.events]
    assert len({one["filename"] for one in parameters}) == 900
    assert time.process_time() - started < 5


_json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_FIELDS = "date start duration title persons attachments links url slug language abstract track type"


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(_FIELDS.split()), _json_values), _json_values)
def test_any_json_gives_a_schedule_or_an_error_of_ours(event: dict[str, Any], base_url: Any) -> None:
    try:
        schedule = read_schedule(frab(event, base_url=base_url))
    except SecretaryError:
        return
    for one in schedule.events:
        session_parameters(schedule, one)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<event>", "</event>", "<start>", "</start>", "99:99", "<date>2024-02-30</date>", "&x;"]
        )
        | st.text(max_size=8),
        max_size=20,
    ),
    st.binary(max_size=60),
)
def test_any_bytes_give_a_schedule_or_an_error_of_ours(pieces: list[str], noise: bytes) -> None:
    for data in (
        xml("".join(pieces).encode("utf-8", "replace").decode()),
        noise,
        b"<schedule>" + noise,
        b"{" + noise,
    ):
        try:
            read_schedule(data, url="https://f.org/x")
        except SecretaryError:
            continue


# title, tracks, events with an attachment, with a video, without a speaker, a title among them
REAL = {
    "fosdem-2023-two-tracks.xml": (
        "FOSDEM 2023",
        [17, 14],
        25,
        26,
        0,
        "Snabbflow: a scalable IPFIX exporter",
    ),
    "fosdem-2025-one-track.xml": ("FOSDEM 2025", [16], 0, 0, 1, "(Avoid) Implementing STARTTLS"),
    "pretalx-rc3-one-track.json": ("rC3 Channels", [31], 0, 0, 1, "Der faule Admin automatisiert: Gluon"),
    "pretalx-rc3-other-tracks.xml": ("rC3 Channels", [14, 1, 1, 1], 2, 1, 0, "Create boxes and more"),
}


@needs_shared
@pytest.mark.parametrize("name", REAL)
def test_real_schedules_give_what_is_expected_of_them(name: str) -> None:
    title, tracks, with_attachment, with_video, without_speaker, contains = REAL[name]
    schedule = read_schedule((FIXTURES / "schedules" / name).read_bytes())
    assert schedule.title == title
    assert sorted(Counter(event.track for event in schedule.events).values(), reverse=True) == tracks
    assert sum(bool(event.attachments) for event in schedule.events) == with_attachment
    assert sum(bool(event.videos) for event in schedule.events) == with_video
    assert sum(not event.speakers for event in schedule.events) == without_speaker
    assert any(event.title.startswith(contains) for event in schedule.events)
    for event in schedule.events:
        parameters = session_parameters(schedule, event)
        assert {
            "event",
            "session",
            "url",
            "filename",
            "track",
            "day",
            "starttime",
            "endtime",
        } <= parameters.keys()
