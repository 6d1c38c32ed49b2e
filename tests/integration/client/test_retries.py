"""A service that refuses, hangs up or loses its answers: clients try again, and nothing happens twice."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common.client.answers import ServiceError, ServiceUnreachable
from tests.integration.client.conftest import SAMPLES
from tests.servers.front import Fault, Front

FAULTS: list[Fault] = [503, 429, 502, "dropped", "unanswered", "torn"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_job_is_made_once_whatever_happens_on_the_way(
    client: Callable[..., Any], trouble: Front, papers: str, fault: Fault
) -> None:
    secretary = client(trouble.address)
    trouble.trouble = [("POST /api/jobs", fault), ("GET /api/jobs", fault)]
    name = f"Mispelmus {papers[-5:]} {fault}"
    options = {"job_name": name, "not_before": "2999-01-01T00:00:00Z"}

    job = secretary.create_job("pdf", {"url": f"{papers}/slides.pdf"}, **options)

    assert [found["job_id"] for found in secretary.jobs(q=name)] == [job["job_id"]]
    assert trouble.trouble == []
    secretary.delete(job["job_id"])


def test_a_refusal_that_lasts_is_told_with_its_status(client: Callable[..., Any], trouble: Front) -> None:
    trouble.trouble = [("GET", 503)] * 5

    with pytest.raises(ServiceError) as refused:
        client(trouble.address).statistics()
    assert refused.value.status == 503


def test_a_connection_that_always_breaks_is_told(client: Callable[..., Any], trouble: Front) -> None:
    trouble.trouble = [("GET", "dropped")] * 5

    with pytest.raises(ServiceUnreachable):
        client(trouble.address).statistics()


def test_what_must_not_happen_twice_is_not_sent_twice(client: Callable[..., Any], trouble: Front) -> None:
    trouble.trouble = [("POST", "unanswered")]

    with pytest.raises(ServiceUnreachable):
        client(trouble.address).restart("job-0")
    assert trouble.seen == ["POST /api/jobs/job-0/restart"]


@pytest.mark.parametrize("fault", [503, "dropped", "torn"])
def test_transfers_are_tried_again(
    client: Callable[..., Any], trouble: Front, tmp_path: Path, fault: Fault
) -> None:
    secretary = client(trouble.address)
    trouble.trouble = [("PUT", fault)]
    upload = secretary.upload(SAMPLES / "slides.pdf")
    job = secretary.wait(secretary.create_job("pdf", {"upload_id": upload})["job_id"], seconds=90)
    assert job["status"] == "completed"

    address = secretary.download_archive(job["job_id"], tmp_path / "quiet.zip")
    store_path = next(line for line in reversed(trouble.seen) if not line.startswith("GET /api/"))
    trouble.trouble = [(store_path.split("?")[0], fault)]
    again = secretary.download_archive(job["job_id"], tmp_path / "torn.zip")

    assert trouble.trouble == []
    assert zipfile.ZipFile(again).testzip() is None
    assert again.read_bytes() == address.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quiet.zip", "torn.zip"]
