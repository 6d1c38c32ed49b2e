"""Faults inside a worker: each costs what it must, and nothing beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import count
from multiprocessing import Pipe
from typing import Any

import pytest
from pymongo.errors import AutoReconnect

from common import logs
from common.errors import Unavailable
from common.jobs.child import PipeProgress, receive
from common.jobs.event import process_event, warm_slots
from common.jobs.finisher import Finisher
from common.jobs.flights import Flight, Flights
from common.jobs.heart import Heart
from common.jobs.intake import Intake
from common.jobs.lifecycle import JobStatus
from common.jobs.runner import Runner
from common.jobs.slot import RunState
from common.jobs.updates import line
from common.jobs.worker import Worker
from common.queue.base import encode
from tests.integration.engine.helpers import WORKER, Engine

pytestmark = pytest.mark.timeout(120)
SOON_SECONDS = 60.0  # generous: the machine may be busy
DONE: dict[str, Any] = {"completed": {"results": {}, "files": []}}
DEEP: dict[str, Any] = {}
for _ in range(250):
    DEEP = {"deeper": DEEP}


def raising(error: Exception) -> Callable[..., Any]:
    def act(*_: object, **__: object) -> Any:
        raise error

    return act


def test_claimed_jobs_are_run_although_another_message_cannot_be_put_off(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, held = engine.submit(), engine.submit()
    engine.claim(held.job_id, "another-worker")
    monkeypatch.setattr(engine.services.queue, "retry_later", raising(Unavailable("The queue is away.")))
    taken = Intake(engine.services, WORKER, Flights()).take(wait_seconds=0)
    assert [flight.run.job_id for flight in taken or []] == [first.job_id]


@pytest.mark.parametrize(
    "value",
    [2**70, "\ud800", {"a\0b": 1}, "x" * 9_000_000, "x" * 17_000_000, "x" * 60_000_000, DEEP],
    ids=["65 bits", "half a character", "null in a name", "9 MB", "17 MB", "60 MB", "deep"],
)
def test_a_result_that_cannot_be_stored_fails_its_job_and_no_other(engine: Engine, value: object) -> None:
    bad = engine.submit()
    good = [engine.submit().job_id for _ in range(2)]
    engine.services.database["jobs"].update_one({"_id": bad.job_id}, {"$set": {"words": ["x" * 8_000_000]}})
    held = Flights()
    finisher = Finisher(engine.services, Runner(engine.services), held)
    for job_id in (good[0], bad.job_id, good[1]):
        job = engine.services.jobs.claim(job_id, WORKER)
        assert job is not None
        flight = Flight(state=RunState(job=job))
        held.add(flight)
        results = {"metadata": {"value": value}} if job_id == bad.job_id else {}
        finisher.put(flight, {"completed": {"results": results, "files": []}})
    finisher.close()
    finisher.work()
    assert [engine.job(job_id).status for job_id in good] == [JobStatus.COMPLETED] * 2
    failed = engine.job(bad.job_id)
    assert failed.status == JobStatus.FAILED
    assert failed.error is not None
    assert failed.error["code"] == "PROCESSING_FAILED"
    assert "cannot be stored: expected at most 16 MB" in failed.error["message"]
    assert held.all() == [], "nobody extends its lease"


def test_the_finisher_outlives_a_fault_that_nobody_foresaw(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (engine.services.jobs.claim(engine.submit().job_id, WORKER) for _ in range(2))
    assert first is not None
    assert second is not None
    finisher = Finisher(engine.services, Runner(engine.services), Flights())
    thread = threading.Thread(target=finisher.work)
    with monkeypatch.context() as broken:
        surprised = threading.Event()
        broken.setattr(Runner, "_settle", raising(KeyError("surprise")))
        broken.setattr(logs, "exception", lambda *_, **__: surprised.set())
        thread.start()
        finisher.put(Flight(state=RunState(job=first)), DONE)
        assert surprised.wait(SOON_SECONDS)
    finisher.put(Flight(state=RunState(job=second)), DONE)
    finisher.close()
    thread.join()
    assert engine.job(second.job_id).status == JobStatus.COMPLETED


def test_half_a_character_does_not_cost_a_job_its_progress_and_log() -> None:
    ours, theirs = Pipe()
    PipeProgress(theirs, None).log("info", "half \ud800 a pair, ä")
    assert receive(ours) == {"log": {"level": "info", "message": "half ? a pair, ä"}}


@pytest.mark.parametrize("part", ["_intake.take", "_heart.beat"])
def test_a_worker_outlives_a_fault_that_nobody_foresaw(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], part: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)  # of the job processes
    worker = Worker(engine.services, WORKER)
    owner, method = part.split(".")
    real, calls = getattr(getattr(worker, owner), method), count()

    def act(**options: Any) -> Any:
        if next(calls) == 0:
            raise KeyError("surprise")
        return real(**options)

    monkeypatch.setattr(getattr(worker, owner), method, act)
    job = engine.submit("work", parameters={"seconds": 3.0})
    thread = threading.Thread(target=worker.work)
    thread.start()
    try:
        deadline = time.monotonic() + SOON_SECONDS
        while not engine.job(job.job_id).is_final:
            assert thread.is_alive()
            assert time.monotonic() < deadline, "the job did not end in time"
            time.sleep(0.05)
    finally:
        worker.stop()
        thread.join()
    assert next(calls) > 1


def test_the_pulse_of_an_event_outlives_an_outage_of_the_queue(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)  # of the job processes
    job = engine.submit("work", parameters={"seconds": 4.0})
    (delivery,) = engine.services.queue.receive(["jobs-work"], limit=1, wait_seconds=0)
    missed = count()

    def extend(*_: object) -> None:
        next(missed)
        raise Unavailable("The queue is away.")

    monkeypatch.setattr(engine.services.queue, "extend", extend)
    try:
        process_event(engine.services, {"Records": [{"messageId": "1", "body": encode(delivery.message)}]})
    finally:
        warm_slots().close()
    assert engine.job(job.job_id).status == JobStatus.COMPLETED
    assert next(missed) > 1, "it went on after the first"


def test_log_lines_outlive_an_outage_of_mongodb(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    job = engine.services.jobs.claim(engine.submit().job_id, WORKER)
    assert job is not None
    state, held = RunState(job=job), Flights()
    held.add(Flight(state=state))
    heart = Heart(engine.services, held)
    state.logs, state.progress = [line("info", "before")], {"step": "old", "percent": 1}
    with monkeypatch.context() as away:
        away.setattr(engine.services.jobs, "pulse", raising(AutoReconnect("connection closed")))
        with pytest.raises(AutoReconnect):
            heart.beat()
    with state.lock:
        state.logs.append(line("info", "after"))
    heart.beat()
    written = engine.job(job.job_id)
    assert [item["message"] for item in written.logs[-2:]] == ["before", "after"]
    assert written.progress == {"step": "old", "percent": 1}
