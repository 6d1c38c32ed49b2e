"""Workers and the processes of their jobs are killed, frozen, stopped and poisoned."""

from __future__ import annotations

import random
import signal
import time
from functools import partial

import pytest

from common.jobs.database import Document
from tests.faults.stack import LEASE_SECONDS, FaultyStack, end

pytestmark = pytest.mark.timeout(180)


def test_a_job_whose_worker_is_killed_at_any_moment_is_done_once(faulty: FaultyStack) -> None:
    """Before the claim, at its start, in its midst or while its result is written."""
    for number in range(3):
        marker = f"killed-{number}"
        job_id = faulty.submit("work", marker=marker, seconds=0.6, options={"max_attempts": 5})
        time.sleep(random.uniform(0, 1.2))  # the moment is what this test is about
        end(faulty.workers[0].pid)
        faulty.workers[0].wait()
        faulty.keep_workers()
        job = faulty.ended(job_id)
        assert job["status"] == "completed"
        assert job["tries"] <= 5
        _has_one_result(faulty, job)


def test_a_killed_worker_is_noticed_when_its_lease_ends(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="lease", seconds=20.0, options={"max_attempts": 5})
    faulty.wait_for(lambda: faulty.runs("lease") == 1)
    end(faulty.workers[0].pid)
    faulty.workers[0].wait()
    killed = time.monotonic()
    faulty.keep_workers()
    faulty.wait_for(lambda: faulty.runs("lease") == 2)
    assert time.monotonic() - killed < LEASE_SECONDS + 15, "generous: the machine is busy"
    _cancel(faulty, job_id)


def test_a_frozen_worker_finds_its_job_done_by_another(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="frozen", seconds=1.0)
    faulty.wait_for(lambda: faulty.runs("frozen") == 1)
    (frozen,) = faulty.workers
    frozen.send_signal(signal.SIGSTOP)
    faulty.workers = []
    try:
        faulty.keep_workers()
        job = faulty.ended(job_id)
        assert (job["status"], job["attempt"]) == ("completed", 2)
    finally:
        frozen.send_signal(signal.SIGCONT)
    time.sleep(2 * LEASE_SECONDS)  # in which the one that woke up tries to write its result
    assert faulty.job(job_id) == job
    frozen.terminate()
    frozen.wait()


def test_a_worker_that_is_asked_to_stop_finishes_what_is_short(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="short", seconds=1.0)
    faulty.wait_for(lambda: faulty.runs("short") == 1)
    faulty.workers[0].terminate()
    faulty.workers[0].wait()
    assert (faulty.job(job_id)["status"], faulty.runs("short")) == ("completed", 1)


def test_a_worker_that_is_asked_to_stop_hands_back_what_is_long(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="long", seconds=5.0)
    faulty.wait_for(lambda: faulty.runs("long") == 1)
    faulty.workers[0].terminate()
    late = faulty.submit("noop", marker="late")
    faulty.workers[0].wait()
    job = faulty.job(job_id)
    assert (job["status"], job["tries"], job["attempt"]) == ("pending", 0, 1)
    assert faulty.job(late)["status"] == "pending", "a stopping worker takes nothing new"
    faulty.keep_workers()
    assert faulty.ended(job_id)["status"] == "completed"


def test_a_job_longer_than_lease_and_visibility_runs_once(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="longer", seconds=LEASE_SECONDS + 4)
    job = faulty.ended(job_id)
    assert (job["status"], job["attempt"], faulty.runs("longer")) == ("completed", 1, 1)


@pytest.mark.parametrize("poison", ["segfault", "allocate"])
def test_a_poison_job_fails_after_its_attempts_and_the_worker_lives(faulty: FaultyStack, poison: str) -> None:
    (worker,) = faulty.workers
    job = faulty.ended(faulty.submit(poison, marker=poison, options={"max_attempts": 2}))
    assert (job["status"], job["error"]["code"], job["tries"]) == ("failed", "PROCESSOR_CRASHED", 2)
    assert faulty.runs(poison) == 2
    after = faulty.ended(faulty.submit("noop", marker=f"after-{poison}"))
    assert (after["status"], worker.poll()) == ("completed", None)


def test_a_job_that_kills_its_worker_each_time_is_given_up(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="deadly", seconds=5.0, options={"max_attempts": 2})
    for run in (1, 2):
        faulty.wait_for(partial(faulty.has_run, "deadly", run))
        end(faulty.workers[0].pid)
        faulty.workers[0].wait()
        faulty.keep_workers()
    job = faulty.ended(job_id)
    assert (job["status"], job["error"]["code"]) == ("failed", "PROCESSOR_CRASHED")
    assert faulty.runs("deadly") == 2


def test_silence_and_slowness_end_with_their_own_codes(faulty: FaultyStack) -> None:
    stalled = faulty.submit("stall", marker="stalled", seconds=60.0, options={"max_attempts": 1})
    slow = faulty.submit("work", marker="slow", seconds=60.0, options={"max_attempts": 1})
    assert faulty.ended(stalled)["error"]["code"] == "PROCESSING_STALLED"
    assert faulty.ended(slow)["error"]["code"] == "PROCESSING_TIMEOUT"


def test_a_job_longer_than_one_slice_goes_on_where_it_stopped(faulty: FaultyStack) -> None:
    job = faulty.ended(faulty.submit("pages", marker="sliced", pages=20, seconds=0.2))
    assert (job["status"], job["tries"]) == ("completed", 1)
    assert job["attempt"] > 1, "it was handed on at least once"
    done = [line for line in faulty.lines() if line.endswith(" sliced")]
    assert done == [f"page {page} sliced" for page in range(20)], "each page once, in order"


def test_a_cancelled_running_job_stops_within_seconds(faulty: FaultyStack) -> None:
    job_id = faulty.submit("work", marker="cancelled", seconds=9.0)
    faulty.wait_for(lambda: faulty.runs("cancelled") == 1)
    asked = time.monotonic()
    _cancel(faulty, job_id)
    job = faulty.ended(job_id)
    assert (job["status"], job["error"]["code"]) == ("cancelled", "CANCELLED")
    assert time.monotonic() - asked < 5
    time.sleep(0.5)  # whatever still ran would show itself
    assert "ended cancelled" not in faulty.lines()


def _cancel(faulty: FaultyStack, job_id: str) -> None:
    with faulty.server.client() as client:
        client.post(f"/api/jobs/{job_id}/cancel").raise_for_status()
    faulty.ended(job_id)


def _has_one_result(faulty: FaultyStack, job: Document) -> None:
    attempt, job_id = job["attempt"], job["_id"]
    assert [file["key"] for file in job["files"]] == [f"jobs/{job_id}/{attempt}/result.md"]
    assert job["results"]["archive"]["key"] == f"archives/{job_id}/{attempt}/result.zip"
    assert faulty.objects.get(job["files"][0]["key"]) == f"# {job['parameters']['marker']}\n".encode()
    assert [line["message"] for line in job["logs"]].count("completed") == 1
