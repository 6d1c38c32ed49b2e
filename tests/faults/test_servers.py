"""The API, the queue, MongoDB and the object store fail while jobs are on their way."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial

import httpx
import pytest

from common.jobs.database import Document
from tests.faults.stack import GATEWAY, FaultyStack, end

pytestmark = pytest.mark.timeout(180)


def test_what_was_acknowledged_survives_the_api_being_killed(faulty: FaultyStack) -> None:
    """Killed right after an answer, again and again, while others are submitting."""
    acknowledged: list[str] = []
    stop = threading.Event()

    def submit() -> None:
        while not stop.is_set():
            try:
                acknowledged.append(faulty.submit("noop", marker="api"))
            except httpx.HTTPError:
                stop.wait(0.05)

    callers = [threading.Thread(target=submit) for _ in range(3)]
    for caller in callers:
        caller.start()
    for _ in range(3):
        enough = len(acknowledged) + 3
        faulty.wait_for(partial(_has, acknowledged, enough))
        for pid in faulty.server.pids(GATEWAY):
            end(pid)
    faulty.wait_for(lambda: _is_ready(faulty))
    stop.set()
    for caller in callers:
        caller.join()
    assert len(acknowledged) > 9
    for job_id in acknowledged:
        assert faulty.ended(job_id)["status"] == "completed"


def test_a_job_that_was_stored_and_never_announced_is_found(faulty: FaultyStack) -> None:
    """As if the process had died between the two."""
    job = faulty.job(faulty.submit("noop", options={"not_before": "2100-01-01T00:00:00Z"}))
    due = {"not_before": None, "resend_at": {"$add": ["$$NOW", 1000]}}
    faulty.database["jobs"].update_one({"_id": job["_id"]}, [{"$set": due}])
    assert faulty.ended(job["_id"])["status"] == "completed"


def test_a_queue_that_lost_everything_is_filled_again(faulty: FaultyStack) -> None:
    (worker,) = faulty.workers
    worker.send_signal(signal.SIGSTOP)
    try:
        job_ids = [faulty.submit("noop", marker="lost") for _ in range(10)]
        faulty.database["messages"].delete_many({})
    finally:
        worker.send_signal(signal.SIGCONT)
    assert [faulty.ended(job_id)["status"] for job_id in job_ids] == ["completed"] * 10


def test_a_message_that_comes_three_times_makes_one_result(faulty: FaultyStack) -> None:
    job_ids = [faulty.submit("work", marker=f"thrice-{n}", seconds=0.3) for n in range(5)]
    messages = [_message(job_id, f"{job_id}-{copy}") for job_id in job_ids for copy in range(3)]
    faulty.database["messages"].insert_many(messages)
    for number, job_id in enumerate(job_ids):
        job = faulty.ended(job_id)
        assert (job["status"], job["attempt"]) == ("completed", 1)
        assert faulty.runs(f"thrice-{number}") == 1
        assert len(list(faulty.objects.listing(f"archives/{job_id}/"))) == 1
    faulty.database["messages"].delete_many({"_id": {"$in": [message["_id"] for message in messages]}})


def test_the_service_comes_back_after_mongodb_was_away(faulty: FaultyStack) -> None:
    running = faulty.submit("work", marker="no-mongo", seconds=6.0, options={"max_attempts": 5})
    faulty.wait_for(lambda: faulty.runs("no-mongo") == 1)
    (mongod,) = faulty.server.programs("mongod")
    os.kill(mongod, signal.SIGSTOP)
    try:
        faulty.wait_for(lambda: not _is_ready(faulty))
    finally:
        os.kill(mongod, signal.SIGKILL)
    faulty.wait_for(lambda: _is_ready(faulty))
    assert faulty.ended(running)["status"] == "completed"
    assert faulty.ended(faulty.submit("noop"))["status"] == "completed"


def test_the_service_comes_back_after_the_object_store_was_away(faulty: FaultyStack) -> None:
    (weed,) = faulty.server.programs("weed")
    os.kill(weed, signal.SIGSTOP)
    try:
        faulty.wait_for(lambda: not _is_ready(faulty))
        job_id = faulty.submit("work", marker="no-store", options={"max_attempts": 10})
        faulty.wait_for(lambda: faulty.runs("no-store"))
        time.sleep(1)
        assert faulty.job(job_id)["status"] in ("processing", "pending")
    finally:
        os.kill(weed, signal.SIGCONT)
    faulty.wait_for(lambda: _is_ready(faulty))
    assert faulty.ended(job_id)["status"] == "completed"


def _has(things: list[str], count: int) -> bool:
    return len(things) >= count


def _message(job_id: str, message_id: str) -> Document:
    return {
        "_id": message_id, "queue": "jobs-work", "subject_id": job_id, "user_id": "local",
        "visible_at": None, "receipt": None, "deliveries": 0,
    }  # fmt: skip


def _is_ready(faulty: FaultyStack) -> bool:
    try:
        return httpx.get(f"{faulty.server.url}/ready", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
