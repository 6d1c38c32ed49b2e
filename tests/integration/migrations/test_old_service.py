"""The collections of the service that was here before, in the form its documents describe."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pymongo.database import Database

from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus
from common.jobs.sweep import sweep
from common.jobs.view import batch_view, job_view
from common.migrations.old_service import Imported, import_old_service
from common.queue.base import queue_for
from common.services import Services

ZIP = b"PK\x05\x06" + bytes(18)
WHEN = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
SESSION = {
    "event": "FOSDEM 2025", "session": "Welcome", "url": "https://example.org/welcome",
    "filename": "welcome.md", "track": "Main",
}  # fmt: skip
HOOK = {
    "url": "https://example.org/hook",
    "headers": {"Authorization": "Bearer old"},
    "include_markdown": True,
}


def old_job(job_id: str, status: str, **also: Any) -> Document:
    return {
        "job_id": job_id, "job_type": "session_processing", "status": status, "created_at": WHEN,
        "updated_at": WHEN, "parameters": SESSION, "batch_id": "batch-1", "worker_id": "worker-1",
        "retries": 1, "logs": [{"timestamp": WHEN, "level": "info", "message": "Verarbeitung gestartet"}],
    } | also  # fmt: skip


COMPLETED = old_job(
    "job-done", "completed", completed_at=WHEN, user_id="ann",
    access_control={"visibility": "team", "read_access": ["team-marketing"]},
    results={
        "markdown_file": "/events/track/session/welcome.md", "markdown_content": "# Welcome\n",
        "assets": [{"type": "image", "path": "/events/a.jpg", "url": "/api/events/files/a.jpg"}],
        "web_text": "Hello", "metadata": {"tokens_used": 1500}, "structured_data": {"topic": "Welcome"},
        "archive_data": base64.b64encode(ZIP).decode(), "archive_filename": "welcome.zip",
    },
)  # fmt: skip
FAILED = old_job(
    "job-failed", "failed", error={"code": "PROCESSING_ERROR", "message": "kaputt", "details": {}}
)
RUNNING = old_job(
    "job-running", "processing", progress={"step": "downloading_video", "percent": 60}, webhook=HOOK
)
PENDING = old_job("job-pending", "pending", job_type=None, priority=1)
NAMELESS = {"status": "pending", "created_at": WHEN}
BATCH = {
    "batch_id": "batch-1", "batch_name": "FOSDEM", "status": "processing", "created_at": WHEN,
    "updated_at": WHEN, "job_ids": ["job-done", "job-failed", "job-running", "job-pending"], "total_jobs": 4,
    "completed_jobs": 1, "failed_jobs": 1, "isActive": True,
}  # fmt: skip


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"SECRETARY_WEBHOOKS__SECRET_KEYS": "k" * 32}


@pytest.fixture
def old(services: Services) -> Iterator[Database[Document]]:
    found = services.database.client.get_database(
        f"{services.database.name}-old", services.database.codec_options
    )
    found["event_jobs"].insert_many([dict(item) for item in (COMPLETED, FAILED, RUNNING, PENDING, NAMELESS)])
    found["event_batches"].insert_one(dict(BATCH))
    yield found
    found.client.drop_database(found.name)


def test_all_is_taken_over_once(services: Services, old: Database[Document]) -> None:
    first = import_old_service(services, old, owner="local")
    assert first == Imported(jobs=4, batches=1, known=0, unreadable=1)
    stored = list(services.database["jobs"].find().sort("_id"))
    assert import_old_service(services, old, owner="local") == Imported(
        jobs=0, batches=0, known=5, unreadable=1
    )
    assert list(services.database["jobs"].find().sort("_id")) == stored


def test_a_completed_job_is_shown_with_its_texts_and_its_archive(
    services: Services, old: Database[Document]
) -> None:
    import_old_service(services, old, owner="local")
    job = services.jobs.get("job-done")
    assert job is not None
    view = job_view(job, services.objects, inline_bytes=10_000)
    assert (view["status"], view["job_type"], view["user_id"]) == ("completed", "session", "ann")
    assert view["results"]["markdown_content"] == "# Welcome\n"
    assert view["results"]["web_text"] == "Hello"
    assert view["results"]["structured_data"] == {"topic": "Welcome"}
    assert view["results"]["archive_filename"] == "welcome.zip"
    assert view["access_control"]["read_access"] == ["team-marketing"]
    assert job.results is not None
    assert services.objects.get(job.results["archive"]["key"]) == ZIP
    assert "archive_data" not in json.dumps(job.results, default=str), "bytes belong into the object store"
    assert job.expires_at is not None
    assert job.expires_at > services.clock()


def test_a_failed_job_keeps_its_error_and_its_logs(services: Services, old: Database[Document]) -> None:
    import_old_service(services, old, owner="local")
    job = services.jobs.get("job-failed")
    assert job is not None
    assert job.error == FAILED["error"]
    assert (job.user_id, job.retries, len(job.logs)) == ("local", 1, 1)


def test_what_had_not_ended_runs_here(services: Services, old: Database[Document]) -> None:
    import_old_service(services, old, owner="local")
    assert sweep(services).resent == 2
    queue = queue_for("session", 0)
    received = [services.queue.receive([queue], limit=1, wait_seconds=0) for _ in range(2)]
    assert {item[0].message.subject_id for item in received} == {"job-running", "job-pending"}
    claimed = services.jobs.claim("job-running", "worker")
    assert claimed is not None
    assert claimed.job_type == "session"


def test_a_webhook_that_is_still_to_come_is_sealed(services: Services, old: Database[Document]) -> None:
    import_old_service(services, old, owner="local")
    job = services.jobs.get("job-running")
    assert job is not None
    assert job.webhook is not None
    assert services.hooks.open(job.webhook).headers == HOOK["headers"]
    stored = services.database["jobs"].find_one({"_id": "job-running"})
    assert "Bearer old" not in str(stored)


def test_a_batch_counts_its_members(services: Services, old: Database[Document]) -> None:
    import_old_service(services, old, owner="local")
    batch = services.batches.get("batch-1")
    assert batch is not None
    view = batch_view(batch)
    assert (view["status"], view["total_jobs"], view["completed_jobs"]) == ("processing", 4, 1)
    assert batch.closed_at is None


def test_a_batch_that_had_ended_stays_closed(services: Services, old: Database[Document]) -> None:
    old["event_jobs"].delete_many({"status": {"$in": ["pending", "processing"]}})
    import_old_service(services, old, owner="local")
    batch = services.batches.get("batch-1")
    assert batch is not None
    assert (batch.status, batch.closed_at) == ("partial", WHEN)


def test_the_command_does_both(
    services: Services, environment: dict[str, str], old: Database[Document]
) -> None:
    command = [sys.executable, "-m", "common.client.command", "migrate", "--json", "--from-old", old.name]
    given = dict(os.environ) | environment
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    migrated, imported = (json.loads(line) for line in done.stdout.splitlines())
    assert migrated == {"migrated": {"jobs": 0, "batches": 0}}
    assert imported["imported"]["jobs"] == 4
    assert {job.status for job in services.jobs.find({}, limit=10)} == {
        JobStatus.COMPLETED,
        JobStatus.FAILED,
        JobStatus.PENDING,
    }
