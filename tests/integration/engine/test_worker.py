"""A real worker in this process, with real job processes: turns, lanes, delays, progress, clocks, events."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from common.access import Caller
from common.clock import utc_now
from common.jobs import event, flights, heart, intake, runner, slot, store, sweep, worker
from common.jobs.event import process_event, warm_slots
from common.jobs.lifecycle import JobStatus
from common.jobs.queries import BatchQuery, JobQuery
from common.jobs.slot import with_eta
from common.jobs.submit import submit_job
from common.jobs.waiting import wait_for_batch, wait_for_job
from common.jobs.worker import Worker
from common.queue.base import encode
from common.services import Services
from tests.integration.engine.helpers import Engine

pytestmark = pytest.mark.timeout(120)
SOON_SECONDS = 60.0  # generous: the machine may be busy


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> Path:
    """Where the job processes of this test write; they inherit our environment."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TEST_JOBS_LOG", str(tmp_path / "jobs.log"))
    (tmp_path / "jobs.log").touch()
    return tmp_path / "jobs.log"


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {
        "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT": "1",
        "SECRETARY_GENERIC_WORKER__POLL_INTERVAL_SEC": "1",
    }


@contextmanager
def working(services: Services, name: str = "worker") -> Iterator[Worker]:
    made = Worker(services, name)
    thread = threading.Thread(target=made.work)
    thread.start()
    try:
        yield made
    finally:
        made.stop()
        thread.join()


def ended(engine: Engine, job_ids: list[str]) -> None:
    deadline = time.monotonic() + SOON_SECONDS
    while not all(engine.job(job_id).is_final for job_id in job_ids):
        assert time.monotonic() < deadline, "the jobs did not end in time"
        time.sleep(0.02)


def test_a_single_job_does_not_wait_for_another_users_batch(engine: Engine, log: Path) -> None:
    _, many = engine.submit_batch(60)
    other = Engine(engine.services, Caller(user_id="bob"))
    single = other.submit(parameters={"marker": "single"})
    with working(engine.services):
        ended(engine, [single.job_id])
        waiting = [job_id for job_id in many if not engine.job(job_id).is_final]
        assert len(waiting) > 20, "the single job came at about its turn"
        ended(engine, many)


def test_the_fast_lane_goes_first(engine: Engine, log: Path) -> None:
    slow = [engine.submit(priority=1, parameters={"marker": "slow"}).job_id for _ in range(3)]
    fast = [engine.submit(priority=9, parameters={"marker": "fast"}).job_id for _ in range(3)]
    with working(engine.services):
        ended(engine, slow + fast)
    assert log.read_text().split()[1::2] == ["fast"] * 3 + ["slow"] * 3


def test_a_job_starts_at_its_time_and_not_before(engine: Engine, log: Path) -> None:
    start = utc_now() + timedelta(seconds=3)
    later = engine.submit(not_before=start.isoformat(), parameters={"marker": "later"})
    now = engine.submit(parameters={"marker": "now"})
    with working(engine.services):
        ended(engine, [now.job_id, later.job_id])
    began = engine.job(later.job_id).processing_started_at
    assert began is not None
    assert start <= began < start + timedelta(seconds=SOON_SECONDS / 2)


def test_progress_is_written_with_pages_and_time_left_at_most_once_a_second(
    engine: Engine, log: Path
) -> None:
    job = engine.submit("work", parameters={"seconds": 3.0})
    seen = []
    with working(engine.services):
        version, started = job.version, time.monotonic()
        while not job.is_final:
            query = JobQuery(wait=20, since=version)
            job = wait_for_job(engine.services, engine.caller, job.job_id, query)
            version = job.version
            if job.status == JobStatus.PROCESSING and job.progress and "pages_total" in job.progress:
                seen.append(job.progress)
        seconds = time.monotonic() - started
    assert 1 <= len(seen) <= seconds + 2, "of twenty reports a second, one was written"
    assert all(item["pages_total"] == 60 for item in seen)
    assert all(item["eta_seconds"] is not None for item in seen if item["percent"])
    assert [item["percent"] for item in seen] == sorted(item["percent"] for item in seen)


@pytest.mark.parametrize(
    ("percent", "seconds", "left"), [(50.0, 10.0, 10.0), (0.0, 5.0, None), (80.0, 8.0, 2.0)]
)
def test_time_left_follows_the_pace_so_far(percent: float, seconds: float, left: float | None) -> None:
    told = with_eta({"percent": percent, "done": 1, "total": 2}, seconds)
    assert told["eta_seconds"] == left


def test_waiting_callers_hear_of_a_change_at_once(engine: Engine) -> None:
    """Of a job and of its batch, through one stream; the first waiter of a process too."""
    batch, (job_id,) = engine.submit_batch(1)
    heard: dict[str, float] = {}

    def wait_for(name: str) -> None:
        if name == "job":
            wait_for_job(engine.services, engine.caller, job_id, JobQuery(wait=20))
        else:
            wait_for_batch(engine.services, engine.caller, batch.batch_id, BatchQuery(wait=20))
        heard[name] = time.monotonic()

    waiters = [threading.Thread(target=wait_for, args=(name,)) for name in ("job", "batch")]
    for waiter in waiters:
        waiter.start()
    time.sleep(0.5)
    engine.claim(job_id)
    changed = time.monotonic()
    for waiter in waiters:
        waiter.join()
    assert max(heard.values()) - changed < 3, "it takes milliseconds; a poll would take five seconds"


def test_workers_whose_clocks_are_wrong_share_the_work_all_the_same(engine: Engine, log: Path) -> None:
    """Five minutes fast and five minutes slow: no job is claimed twice, none waits for its time."""
    fast = replace(engine.services, clock=lambda: utc_now() + timedelta(minutes=5))
    slow = replace(engine.services, clock=lambda: utc_now() - timedelta(minutes=5))
    body = {"job_type": "noop", "parameters": {"marker": "skew"}}
    job_ids = [submit_job(caller, engine.caller, body, key=None).job_id for caller in (fast, slow) * 10]
    with working(fast, "fast"), working(slow, "slow"):
        ended(engine, job_ids)
        sweep.sweep(fast)
        sweep.sweep(slow)
    assert [engine.job(job_id).attempt for job_id in job_ids] == [1] * 20
    assert len(log.read_text().splitlines()) == 20


@pytest.mark.parametrize("part", [event, flights, heart, intake, runner, slot, store, sweep, worker])
def test_the_engine_never_asks_its_own_clock_for_the_time_of_day(part: object) -> None:
    source = Path(str(part.__file__)).read_text()  # type: ignore[attr-defined]
    assert not [name for name in ("utc_now", "datetime.now", "time.time(", ".clock()") if name in source]


def test_an_event_runs_its_jobs_and_names_what_must_come_again(engine: Engine, log: Path) -> None:
    job, held = engine.submit(parameters={"marker": "event"}), engine.submit()
    engine.claim(held.job_id)
    deliveries = engine.services.queue.receive(["jobs-noop"], limit=5, wait_seconds=0)
    records = [{"messageId": item.message.subject_id, "body": encode(item.message)} for item in deliveries]
    try:
        failures = process_event(engine.services, {"Records": records})
        assert failures == {"batchItemFailures": [{"itemIdentifier": held.job_id}]}
        assert engine.job(job.job_id).status == JobStatus.COMPLETED
        (kept,) = warm_slots()._idle
        child = kept._child
        again = engine.submit()
        record = {"messageId": "1", "body": encode(replace(deliveries[0].message, subject_id=again.job_id))}
        process_event(engine.services, {"Records": [record]})
        assert engine.job(again.job_id).status == JobStatus.COMPLETED
        assert warm_slots()._idle[0]._child is child, "the job process of the first event is used again"
    finally:
        warm_slots().close()
