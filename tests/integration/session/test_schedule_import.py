from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from common.access import Caller
from common.errors import UnsupportedFile, UrlNotAllowed, ValidationFailed
from common.jobs.lifecycle import JobStatus
from common.jobs.schedule_import import import_schedule
from common.services import Services
from tests.servers.site import site
from tests.servers.stack import LOOPBACK_ALLOWED
from tests.unit.shared_files import FIXTURES, needs_shared

CALLER = Caller(user_id="ada")
EVENT = """<event id="{number}"><start>10:00</start><duration>00:30</duration><title>Talk {number}</title>
<track>{track}</track><type>lecture</type><language>en</language>{url}
<persons><person id="1">Ada</person></persons></event>"""


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | LOOPBACK_ALLOWED


def schedule(count: int, *, without_page: int = 0) -> str:
    events = (
        EVENT.format(
            number=number,
            track="Odd" if number % 2 else "Even",
            url="" if number < without_page else f"<url>https://conf.example/{number}</url>",
        )
        for number in range(count)
    )
    return (
        "<schedule><conference><title>Conf 2025</title></conference><day index='1' date='2025-05-03'>"
        f"<room name='Hall'>{''.join(events)}</room></day></schedule>"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def run(services: Services, folder: Path, content: str, **body: Any) -> Any:
    (folder / "schedule.xml").write_text(content)
    with site(folder) as address:
        return import_schedule(services, CALLER, {"url": f"{address}/schedule.xml"} | body)


def test_nine_hundred_talks_become_one_batch_in_one_call(services: Services, folder: Path) -> None:
    done = run(services, folder, schedule(900), parameters={"target_language": "en", "create_archive": False})
    assert done.batch.total_jobs == len(done.job_ids) == 900
    stored = services.batches.get(done.batch.batch_id)
    assert stored is not None and stored.count(JobStatus.PENDING) == 900
    job = services.jobs.get(done.job_ids[1])
    assert job is not None and job.job_name == "Talk 1"
    expected = {
        "event": "Conf 2025", "session": "Talk 1", "url": "https://conf.example/1", "filename": "Talk_1.md",
        "track": "Odd", "day": "2025-05-03", "starttime": "10:00", "endtime": "10:30", "speakers": ["Ada"],
        "source_language": "en", "target_language": "en", "create_archive": False,
    }  # fmt: skip
    assert expected.items() <= job.parameters.items()


def test_filters_choose_and_a_dry_run_stores_nothing(services: Services, folder: Path) -> None:
    done = run(services, folder, schedule(10), track="odd", limit=3, dry_run=True)
    assert [job["parameters"]["session"] for job in done.jobs] == ["Talk 1", "Talk 3", "Talk 5"]
    assert done.batch is None
    assert done.as_data()["total"] == 3
    assert services.batches.find({}, limit=5) == []


def test_talks_without_a_page_are_named_and_left_out(services: Services, folder: Path) -> None:
    (folder / "s.xml").write_text("")
    done = run(services, folder, schedule(3, without_page=1))
    # A schedule that says nothing about its base is read as standing beside its talks; these have no slug.
    assert done.skipped == ("Talk 0",)
    assert done.batch.total_jobs == 2
    with pytest.raises(ValidationFailed, match="None of the 2 chosen talks names a page"):
        run(services, folder, schedule(2, without_page=2))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<!doctype html><html><p>Programme</p></html>", r"found a web page \(HTML\)"),
        (schedule(0), "has no events; expected Pentabarf XML"),
        ("BEGIN:VCALENDAR", "found 'begin:vcalendar'"),
        ("", "found an empty answer"),
        ('{"talks": []}', "schedule.conference.days, found JSON with the keys 'talks'"),
    ],
)
def test_what_is_no_schedule_is_told_by_what_it_is(
    services: Services, folder: Path, content: str, said: str
) -> None:
    with pytest.raises(UnsupportedFile, match=said) as refused:
        run(services, folder, content)
    assert refused.value.http_status == 422


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "exactly one of url, upload_id"),
        ({"url": "https://a.example/", "upload_id": "u"}, "exactly one of url, upload_id"),
        ({"url": "https://a.example/", "limit": 0}, "limit"),
        ({"url": "https://a.example/", "tracks": "x"}, "tracks"),
    ],
)
def test_a_wrong_request_is_refused_by_name(services: Services, body: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationFailed, match=said):
        import_schedule(services, CALLER, body)


def test_a_filter_that_leaves_nothing_tells_the_choices(services: Services, folder: Path) -> None:
    with pytest.raises(ValidationFailed, match="the schedule has: Even, Odd"):
        run(services, folder, schedule(4), track=["Main"])


def test_a_wrong_shared_parameter_stores_nothing(services: Services, folder: Path) -> None:
    with pytest.raises(ValidationFailed, match=r"jobs\.0\.parameters\.target_language"):
        run(services, folder, schedule(2), parameters={"target_language": "!"})
    assert services.batches.find({}, limit=5) == []


def test_an_inner_address_is_refused(services: Services) -> None:
    with pytest.raises(UrlNotAllowed):
        import_schedule(services, CALLER, {"url": "http://169.254.169.254/latest"})


@needs_shared
@pytest.mark.parametrize(
    ("name", "filters", "count"),
    [
        ("fosdem-2023-two-tracks.xml", {"track": "Network"}, 17),
        ("fosdem-2025-one-track.xml", {}, 16),
        ("pretalx-rc3-one-track.json", {}, 31),
        ("pretalx-rc3-other-tracks.xml", {}, 17),
    ],
)
def test_the_shared_schedules_import(
    services: Services, name: str, filters: dict[str, str], count: int
) -> None:
    with site(FIXTURES) as address:
        body = {"url": f"{address}/schedules/{name}"} | filters
        done = import_schedule(services, CALLER, body)
    assert done.batch is not None and done.batch.total_jobs == count
