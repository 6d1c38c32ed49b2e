"""A job can be stopped, started again and removed."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.acceptance.conftest import SAMPLES
from tests.acceptance.user import User, pdf
from tests.servers.site import site


@pytest.fixture
def endless_source() -> Iterator[str]:
    """Takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/endless.pdf"


def test_a_job_that_waits_can_be_cancelled_and_never_runs(user: User, sources: str) -> None:
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    job = user.submit(f"{sources}/slides.pdf", not_before=later)

    answer = user.http.post(f"/api/jobs/{job['job_id']}/cancel")

    assert answer.status_code == 200
    ended = user.job(job["job_id"])
    assert (ended["status"], ended["attempt"]) == ("cancelled", 0)
    assert ended["error"]["code"] == "CANCELLED"


def test_a_job_that_runs_can_be_cancelled(user: User, endless_source: str) -> None:
    job = user.wait(user.submit(endless_source), until=("processing",))

    assert user.http.post(f"/api/jobs/{job['job_id']}/cancel").status_code == 202

    assert user.wait(job)["status"] == "cancelled"


def test_a_completed_job_cannot_be_cancelled(user: User, sources: str) -> None:
    job = user.wait(user.submit(f"{sources}/slides.pdf"))

    user.http.post(f"/api/jobs/{job['job_id']}/cancel")

    assert user.job(job["job_id"])["status"] == "completed"


def test_a_batch_can_be_cancelled(user: User, endless_source: str) -> None:
    batch = user.submit_batch([pdf(endless_source)] * 5)

    assert user.http.post(f"/api/batches/{batch['batch_id']}/cancel").is_success

    ended = user.wait_for_batch(batch)
    assert (ended["status"], ended["cancelled_jobs"]) == ("cancelled", 5)


def test_a_failed_job_can_be_started_again(user: User, tmp_path: Path) -> None:
    with site(tmp_path) as address:
        failed = user.wait(user.submit(f"{address}/late.pdf"))
        shutil.copy(SAMPLES / "report.pdf", tmp_path / "late.pdf")

        answer = user.http.post(f"/api/jobs/{failed['job_id']}/restart", json={})
        ended = user.wait(failed, until=("completed",))

    assert failed["status"] == "failed"
    assert answer.status_code == 202
    assert ended["results"]["markdown_content"]
    assert ended["error"] is None


def test_a_deleted_job_is_gone_with_its_files(user: User, sources: str) -> None:
    job = user.wait(user.submit(f"{sources}/slides.pdf"))
    archive = job["results"]["archive_url"]
    signed = user.http.get(archive).headers["Location"]

    assert user.http.delete(f"/api/jobs/{job['job_id']}").status_code == 200

    assert user.http.get(f"/api/jobs/{job['job_id']}").status_code == 404
    assert user.http.get(archive).status_code == 404
    assert user.http.get(signed).status_code == 404
