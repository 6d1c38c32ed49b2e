"""Random histories: whatever users, workers, faults and the sweep do in any order, every acknowledged job
reaches one end, and a batch's counts are those of its members at every read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_histories

from common.errors import Conflict
from common.jobs.batch_control import cancel_batch, retry_failed, toggle_active
from common.jobs.control import cancel_job, restart_job
from common.jobs.ending import jobs_ended
from common.jobs.lifecycle import JobStatus
from common.jobs.store import Run
from common.jobs.sweep import sweep
from tests.integration.engine.helpers import Engine

ERROR = {"code": "X", "message": "x"}
QUEUES = ["jobs-noop-high", "jobs-noop"]
WORKERS = ["a", "b", "c"]
pick = some.integers(0, 10**6)
Thing = TypeVar("Thing")


class Histories(RuleBasedStateMachine):
    """The test is every process at once: callers, three workers, the timer and fate."""

    engine: Engine

    def __init__(self) -> None:
        super().__init__()
        self.acknowledged: list[str] = []
        self.batches: list[str] = []
        self.runs: list[Run] = []  # also those that have lost their lease without knowing it
        self.delivered: list[str] = []
        self.ended: dict[str, JobStatus] = {}
        self.results: Counter[tuple[str, int]] = Counter()

    @initialize()
    def begin_empty(self) -> None:
        for name in ("jobs", "batches", "messages"):
            self.engine.services.database[name].delete_many({})

    # Callers

    @rule(priority=some.integers(0, 9), attempts=some.integers(1, 3))
    def submit(self, priority: int, attempts: int) -> None:
        self.acknowledged.append(self.engine.submit(priority=priority, max_attempts=attempts).job_id)

    @rule(count=some.integers(1, 5))
    def submit_batch(self, count: int) -> None:
        batch, job_ids = self.engine.submit_batch(count)
        self.batches.append(batch.batch_id)
        self.acknowledged += job_ids

    @precondition(lambda self: self.acknowledged)
    @rule(which=pick)
    def cancel(self, which: int) -> None:
        job_id = _one(self.acknowledged, which)
        try:
            cancel_job(self.engine.services, self.engine.caller, job_id)
        except Conflict:
            assert self.engine.job(job_id).is_final

    @precondition(lambda self: self.acknowledged)
    @rule(which=pick)
    def restart(self, which: int) -> None:
        job_id = _one(self.acknowledged, which)
        try:
            restart_job(self.engine.services, self.engine.caller, job_id, {})
        except Conflict:
            assert not self.engine.job(job_id).is_final
        else:
            self.ended.pop(job_id, None)

    @precondition(lambda self: self.batches)
    @rule(which=pick)
    def cancel_batch(self, which: int) -> None:
        cancel_batch(self.engine.services, self.engine.caller, _one(self.batches, which))

    @precondition(lambda self: self.batches)
    @rule(which=pick)
    def pause_or_go_on(self, which: int) -> None:
        toggle_active(self.engine.services, self.engine.caller, _one(self.batches, which), {})

    @precondition(lambda self: self.batches)
    @rule(which=pick)
    def retry_failed(self, which: int) -> None:
        _, again = retry_failed(self.engine.services, self.engine.caller, _one(self.batches, which))
        for job_id in again:
            self.ended.pop(job_id, None)

    # Workers

    @rule(limit=some.integers(1, 4), worker=some.sampled_from(WORKERS))
    def receive_and_claim(self, limit: int, worker: str) -> None:
        for delivery in self.engine.services.queue.receive(QUEUES, limit=limit, wait_seconds=0):
            self.delivered.append(delivery.message.subject_id)
            self.engine.services.queue.done([delivery])
            self._claim(delivery.message.subject_id, worker)

    @precondition(lambda self: self.delivered)
    @rule(which=pick, worker=some.sampled_from(WORKERS))
    def claim_again(self, which: int, worker: str) -> None:
        """By any message ever delivered: late, doubled and out of order."""
        self._claim(_one(self.delivered, which), worker)

    @precondition(lambda self: self.runs)
    @rule(which=pick, worker=some.sampled_from(WORKERS))
    def take_over(self, which: int, worker: str) -> None:
        self.worker_falls_silent(which)
        self._claim(_one(self.runs, which).job_id, worker)

    def _claim(self, job_id: str, worker: str) -> None:
        job = self.engine.services.jobs.claim(job_id, worker)
        if job:
            self.runs.append(Run(job_id=job.job_id, attempt=job.attempt, worker_id=worker))

    @precondition(lambda self: self.runs)
    @rule(which=pick, outcome=some.sampled_from(["complete", "fail", "retry", "hand back", "hand on"]))
    def end_run(self, which: int, outcome: str) -> None:
        """By any worker that believes to hold the job, however late."""
        run, store = _one(self.runs, which), self.engine.services.jobs
        before = self.engine.job(run.job_id)
        holds = (before.status, before.attempt) == (JobStatus.PROCESSING, run.attempt)
        written = {
            "complete": lambda: self.engine.complete(run),
            "fail": lambda: self.engine.fail(run),
            "retry": lambda: store.retry(run, error=ERROR, delay_seconds=0),
            "hand back": lambda: store.hand_back(run),
            "hand on": lambda: store.hand_on(run, checkpoint={}, used_seconds=1),
        }[outcome]()
        if outcome == "complete" and (before.status, before.attempt) == (JobStatus.COMPLETED, run.attempt):
            assert written, "its own end, told once more"
            assert self.engine.job(run.job_id).version == before.version, "and not written once more"
            return
        if not written:
            written = store.cancel_run(run, error=ERROR, expires_after=None)
        elif outcome == "complete":
            self.results[run.job_id, run.attempt] += 1
        assert written == holds, "who holds the job may write, and nobody else"
        if written:
            jobs_ended(self.engine.services, [self.engine.job(run.job_id)])

    # Fate

    @precondition(lambda self: self.runs)
    @rule(which=pick)
    def worker_falls_silent(self, which: int) -> None:
        past = {"lease.expires_at": {"$subtract": ["$$NOW", 1]}}
        held = {"_id": _one(self.runs, which).job_id, "lease": {"$type": "object"}}
        self.engine.services.database["jobs"].update_one(held, [{"$set": past}])

    @rule()
    def lose_the_queue(self) -> None:
        self.engine.empty_queue()

    @rule()
    def time_passes_and_the_timer_sweeps(self) -> None:
        past = {"$subtract": ["$$NOW", 1]}
        database = self.engine.services.database
        database["jobs"].update_many({"resend_at": {"$type": "date"}}, [{"$set": {"resend_at": past}}])
        database["batches"].update_many({"check_at": {"$type": "date"}}, [{"$set": {"check_at": past}}])
        sweep(self.engine.services)

    # What always holds

    @invariant()
    def nothing_is_lost_or_invented(self) -> None:
        stored = [item["_id"] for item in self.engine.services.database["jobs"].find({}, {"_id": 1})]
        assert sorted(stored) == sorted(self.acknowledged)

    @invariant()
    def counts_are_those_of_the_members(self) -> None:
        for batch_id in self.batches:
            members = self.engine.services.batches.members(batch_id, list(JobStatus))
            assert self.engine.batch(batch_id).counts == Counter(job.status.value for job in members)

    @invariant()
    def an_end_is_an_end(self) -> None:
        for job_id in self.acknowledged:
            job = self.engine.job(job_id)
            if job_id in self.ended:
                assert job.status == self.ended[job_id]
            elif job.is_final:
                self.ended[job_id] = job.status
        assert not [run for run, number in self.results.items() if number > 1]

    def teardown(self) -> None:
        """Afterwards nothing goes wrong any more: everything must reach its end, and every batch close."""
        services = self.engine.services
        if not self.acknowledged:
            return
        for batch_id in self.batches:
            toggle_active(services, self.engine.caller, batch_id, {"isActive": True})
        for _ in range(10):
            for which in range(len(self.runs)):
                self.worker_falls_silent(which)
            self.time_passes_and_the_timer_sweeps()
            while taken := services.queue.receive(QUEUES, limit=10, wait_seconds=0):
                for delivery in taken:
                    job = services.jobs.claim(delivery.message.subject_id, "last")
                    services.queue.done([delivery])
                    if job:
                        self.engine.complete(Run(job_id=job.job_id, attempt=job.attempt, worker_id="last"))
                        jobs_ended(services, [job])
            if all(self.engine.job(job_id).is_final for job_id in self.acknowledged):
                break
        self.time_passes_and_the_timer_sweeps()
        stuck = [job_id for job_id in self.acknowledged if not self.engine.job(job_id).is_final]
        assert not stuck
        assert all(self.engine.batch(batch_id).closed_at for batch_id in self.batches)


def _one(things: list[Thing], which: int) -> Thing:
    return things[which % len(things)]


@pytest.fixture
def histories(engine: Engine) -> Iterator[type[Histories]]:
    Histories.engine = engine
    yield Histories


@pytest.mark.timeout(240)
def test_random_histories_end_well(histories: type[Histories]) -> None:
    run_histories(
        histories,
        settings=settings(
            max_examples=10,
            stateful_step_count=40,
            deadline=None,
            phases=[Phase.generate],  # a history is short enough to read, and slow to shorten
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
