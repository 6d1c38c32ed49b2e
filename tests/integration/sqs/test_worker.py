"""A worker on SQS: it keeps what it works on, and gives the next one what it does not."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from common.access import Caller
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Job
from common.jobs.submit import submit_job
from common.jobs.worker import Worker
from common.queue.base import queue_for
from common.services import Services, build
from common.settings import load_settings

SAMPLES = Path(__file__).parents[3] / "samples"
ANNA = Caller(user_id="anna")
PDF = queue_for("pdf", 1)
VISIBILITY_SECONDS = 3
PATIENCE_SECONDS = 60.0


@pytest.fixture
def environment(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return environment | {
        "SECRETARY_QUEUE__VISIBILITY_SECONDS": str(VISIBILITY_SECONDS),
        "SECRETARY_JOBS__HEARTBEAT_SECONDS": "1",
        "SECRETARY_JOBS__LEASE_SECONDS": str(VISIBILITY_SECONDS),
        "SECRETARY_GENERIC_WORKER__POLL_INTERVAL_SEC": "1",
        "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT": "1",
    }


@pytest.fixture
def worker(environment: dict[str, str]) -> Iterator[Worker]:
    provided = build(load_settings(environment))
    worker = Worker(provided, "worker-under-test")
    thread = threading.Thread(target=worker.work)
    thread.start()
    yield worker
    worker.stop()
    thread.join()
    provided.close()


class SlowSource:
    """A document that arrives when the test lets it go."""

    def __init__(self) -> None:
        self.asked, self.let_go = threading.Event(), threading.Event()
        self.times = 0
        source = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                source.times += 1
                source.asked.set()
                source.let_go.wait(PATIENCE_SECONDS)
                content = (SAMPLES / "report.pdf").read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                return

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/slow.pdf"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def source() -> Iterator[SlowSource]:
    found = SlowSource()
    yield found
    found.close()


def submit(services: Services, url: str) -> str:
    return submit_job(services, ANNA, {"job_type": "pdf", "parameters": {"url": url}}, key=None).job_id


def job_of(services: Services, job_id: str) -> Job:
    job = services.jobs.get(job_id)
    assert job is not None
    return job


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.1)


def test_a_job_longer_than_the_visibility_runs_once(
    services: Services, worker: Worker, source: SlowSource
) -> None:
    job_id = submit(services, source.url)
    assert source.asked.wait(PATIENCE_SECONDS)

    for _ in range(2 * VISIBILITY_SECONDS):
        assert services.queue.receive([PDF], limit=1, wait_seconds=1) == [], "its message was not kept hidden"
    source.let_go.set()

    eventually(lambda: job_of(services, job_id).is_final)
    ended = job_of(services, job_id)
    assert (ended.status, ended.attempt, source.times) == (JobStatus.COMPLETED, 1, 1)
    eventually(lambda: services.queue.depth([PDF]) == {PDF: 0})


def test_a_message_that_another_worker_took_to_its_grave_comes_to_this_one(
    services: Services, environment: dict[str, str], source: SlowSource, request: pytest.FixtureRequest
) -> None:
    source.let_go.set()
    job_id = submit(services, source.url)
    (taken,) = services.queue.receive([PDF], limit=1, wait_seconds=20)
    assert services.jobs.claim(taken.message.subject_id, "worker-that-dies") is not None

    request.getfixturevalue("worker")

    eventually(lambda: job_of(services, job_id).is_final)
    assert (job_of(services, job_id).status, job_of(services, job_id).attempt) == (JobStatus.COMPLETED, 2)


def test_the_fast_lane_goes_first(services: Services, environment: dict[str, str], source: SlowSource,
                                  request: pytest.FixtureRequest) -> None:  # fmt: skip
    """Four plain jobs stand before one that is urgent; a worker that comes takes the urgent one first."""
    source.let_go.set()
    plain = [submit(services, source.url) for _ in range(4)]
    body = {"job_type": "pdf", "parameters": {"url": source.url}, "priority": 9}
    urgent = submit_job(services, ANNA, body, key=None).job_id

    request.getfixturevalue("worker")

    eventually(lambda: all(job_of(services, job_id).is_final for job_id in [urgent, *plain]))
    started = {job_id: job_of(services, job_id).processing_started_at for job_id in [*plain, urgent]}
    assert min(started, key=lambda job_id: str(started[job_id])) == urgent
