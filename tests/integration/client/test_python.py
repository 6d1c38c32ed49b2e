"""The Python client, both of its forms: hand in, wait, watch, fetch, and everything around it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common.client import AsyncSecretary, Secretary
from common.client.answers import ServiceError, ServiceUnreachable, WaitTimeout
from common.client.webhook import ForgedWebhook, verified
from infra.local.ports import free_ports
from tests.integration.client.conftest import SAMPLES
from tests.servers.stack import StackServer
from tests.unit.outbound.loopback import Loopback

PATIENCE_SECONDS = 90.0


def test_both_clients_offer_the_same() -> None:
    offered, awaited = (
        {name for name in dir(kind) if not name.startswith("_")} for kind in (Secretary, AsyncSecretary)
    )

    assert offered == awaited


def test_a_document_goes_up_and_its_archive_comes_down(secretary: Any, tmp_path: Path) -> None:
    document, up, down, states = SAMPLES / "report.pdf", [], [], []

    upload = secretary.upload(document, moved=lambda done, total: up.append((done, total)))
    job = secretary.create_job("pdf", {"upload_id": upload}, tags=["client"])
    done = secretary.wait(
        job["job_id"], seen=lambda now: states.append(now["status"]), seconds=PATIENCE_SECONDS
    )
    archive = secretary.download_archive(job["job_id"], tmp_path, moved=lambda *moved: down.append(moved))

    size = document.stat().st_size
    assert up[-1] == (size, size)
    assert done["status"] == "completed" == states[-1]
    assert "Jahresbericht" in done["results"]["markdown_content"]
    assert archive.name == done["results"]["archive_filename"]
    assert down[-1] == (archive.stat().st_size, archive.stat().st_size)
    assert zipfile.ZipFile(archive).testzip() is None
    assert [path.name for path in tmp_path.iterdir()] == [archive.name]


def test_a_job_is_watched_listed_logged_restarted_and_deleted(
    secretary: Any, papers: str, tmp_path: Path
) -> None:
    job_id = secretary.create_job("pdf", {"url": f"{papers}/slides.pdf"}, job_name="Quittenbrot")["job_id"]
    seen = list(secretary.watch(job_id, seconds=PATIENCE_SECONDS))
    assert [job["version"] for job in seen] == sorted(job["version"] for job in seen)
    assert seen[-1]["status"] == "completed"
    assert secretary.job(job_id)["job_id"] == job_id
    assert job_id in [job["job_id"] for job in secretary.jobs(q="Quittenbrot")]
    assert secretary.logs(job_id)

    paths = [file["path"] for file in secretary.files(job_id)]
    text = secretary.download_file(job_id, paths[0], tmp_path / "first")
    assert text.stat().st_size > 0

    assert secretary.restart(job_id)["status"] == "pending"
    assert secretary.wait(job_id, seconds=PATIENCE_SECONDS)["attempt"] == 2
    secretary.delete(job_id)
    with pytest.raises(ServiceError) as gone:
        secretary.job(job_id)
    assert (gone.value.error_code, gone.value.status) == ("NOT_FOUND", 404)


def test_a_batch_is_paused_resumed_retried_and_fetched_as_one_vault(
    secretary: Any, papers: str, tmp_path: Path
) -> None:
    names = ("report.pdf", "slides.pdf", "none.pdf")
    jobs = [
        {"job_type": "pdf", "max_attempts": 1, "parameters": {"url": f"{papers}/{name}"}} for name in names
    ]
    batch_id = secretary.create_batch(jobs, batch_name="three papers")["batch_id"]
    assert secretary.set_batch_active(batch_id, active=False)["isActive"] is False
    assert secretary.set_batch_active(batch_id, active=True)["isActive"] is True
    done = secretary.wait_for_batch(batch_id, seconds=PATIENCE_SECONDS)
    assert (done["status"], done["completed_jobs"], done["failed_jobs"]) == ("partial", 2, 1)
    assert batch_id in [batch["batch_id"] for batch in secretary.batches()]

    secretary.retry_failed(batch_id)
    assert secretary.wait_for_batch(batch_id, seconds=PATIENCE_SECONDS)["status"] == "partial"
    archive = secretary.download_batch_archive(batch_id, tmp_path)
    assert "errors.json" in zipfile.ZipFile(archive).namelist()
    secretary.delete_batch(batch_id)


def test_a_wait_ends_in_time_and_a_cancel_ends_the_job(secretary: Any, papers: str) -> None:
    job_id = secretary.create_job("pdf", {"url": f"{papers}/a.pdf"}, not_before="2999-01-01T00:00:00Z")[
        "job_id"
    ]

    with pytest.raises(WaitTimeout, match="Not finished after 1 seconds"):
        secretary.wait(job_id, seconds=1)
    assert secretary.cancel(job_id)["status"] == "cancelled"


def test_a_schedule_is_looked_at_before_it_is_imported(secretary: Any) -> None:
    upload = secretary.upload(SAMPLES / "schedule.xml")

    assert secretary.import_schedule(upload_id=upload, dry_run=True)["total"] > 0


def test_what_the_service_knows_is_told(secretary: Any, papers: str) -> None:
    assert {"pdf", "session"} <= {kind["job_type"] for kind in secretary.job_types()}
    assert "Session" in {template["name"] for template in secretary.templates()}
    assert "jobs" in secretary.statistics()
    assert secretary.estimate("pdf", {"url": f"{papers}/report.pdf"})


def test_a_wrong_request_says_what_is_wrong_in_the_callers_language(
    client: Callable[..., Any], stack: StackServer
) -> None:
    with pytest.raises(ServiceError) as wrong:
        client(stack.url, language="de").create_job("knitting", {})

    assert wrong.value.error_code == "UNKNOWN_JOB_TYPE"
    assert "knitting" in wrong.value.message


def test_nobody_at_home_is_told(client: Callable[..., Any]) -> None:
    (port,) = free_ports(1)

    with pytest.raises(ServiceUnreachable, match=str(port)):
        client(f"http://127.0.0.1:{port}").statistics()


def test_a_webhook_is_verified_logged_and_sent_again(secretary: Any, papers: str) -> None:
    with Loopback(routes={"/hook": lambda exchange: exchange.reply(204)}) as receiver:
        hook = {"url": receiver.url("/hook")}
        job = secretary.create_job("pdf", {"url": f"{papers}/slides.pdf"}, webhook=hook)
        secretary.wait(job["job_id"], seconds=PATIENCE_SECONDS)
        delivery = _delivered(secretary, job["job_id"])
        secretary.redeliver(delivery["delivery_id"])
        (first, *_) = receiver.seen

    secret = job["webhook"]["secret"]
    assert verified(first.body, first.headers, secret)["job_id"] == job["job_id"]
    forged = json.dumps(json.loads(first.body) | {"status": "failed"})
    with pytest.raises(ForgedWebhook):
        verified(forged, first.headers, secret)


def _delivered(secretary: Any, job_id: str) -> dict[str, Any]:
    """Its log is written after the receiver has answered, so it is asked for until it is there."""
    while True:
        for delivery in secretary.deliveries(job_id):
            if delivery["state"] == "delivered":
                return dict(delivery)


def test_the_archive_of_a_batch_takes_its_place_among_the_newest_jobs(
    secretary: Any, papers: str, tmp_path: Path
) -> None:
    batch = secretary.create_batch([{"job_type": "pdf", "parameters": {"url": f"{papers}/slides.pdf"}}])
    secretary.wait_for_batch(batch["batch_id"], seconds=PATIENCE_SECONDS)
    secretary.download_batch_archive(batch["batch_id"], tmp_path)
    later = secretary.create_job("pdf", {"url": f"{papers}/slides.pdf"})

    ids = [job["job_id"] for job, _ in zip(secretary.jobs(), range(50), strict=False)]

    assert ids[0] == later["job_id"]
    assert ids == sorted(ids, reverse=True)
