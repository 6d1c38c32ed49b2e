"""The store makes the moves of the lifecycle table and refuses all others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from common.jobs.lifecycle import TABLE, JobStatus, Move
from common.jobs.store import Pulse, Run
from tests.integration.engine.helpers import WORKER, Engine

ERROR = {"code": "X", "message": "x", "details": {}}


def bring_to(engine: Engine, status: JobStatus) -> Run:
    """A job in that state, and the run that a worker believes to hold."""
    job = engine.submit()
    if status == JobStatus.PENDING:
        return Run(job_id=job.job_id, attempt=0, worker_id=WORKER)
    run = engine.claim(job.job_id)
    if status == JobStatus.COMPLETED:
        engine.complete(run)
    if status == JobStatus.FAILED:
        engine.fail(run)
    if status == JobStatus.CANCELLED:
        engine.services.control.request_cancel(run.job_id)
        engine.services.jobs.cancel_run(run, error=ERROR, expires_after=None)
    assert engine.job(run.job_id).status == status
    return run


def cancel(engine: Engine, run: Run) -> bool:
    """As a user does it and a worker ends it."""
    if engine.services.control.cancel_waiting(run.job_id, error=ERROR, expires_after=None):
        return True
    asked = engine.services.control.request_cancel(run.job_id)
    return engine.services.jobs.cancel_run(run, error=ERROR, expires_after=None) and asked


MOVES: dict[Move, Callable[[Engine, Run], bool]] = {
    Move.CLAIM: lambda engine, run: engine.services.jobs.claim(run.job_id, "another") is not None,
    Move.COMPLETE: lambda engine, run: engine.complete(run),
    Move.FAIL: lambda engine, run: engine.fail(run),
    Move.RETRY: lambda engine, run: engine.services.jobs.retry(run, error=ERROR, delay_seconds=0),
    Move.HAND_BACK: lambda engine, run: engine.services.jobs.hand_back(run),
    Move.CONTINUE: lambda engine, run: engine.services.jobs.hand_on(run, checkpoint={}, used_seconds=1),
    Move.CANCEL: cancel,
    Move.RESTART: lambda engine, run: engine.services.control.restart(run.job_id, parameters={}),
}


@pytest.mark.parametrize("move", Move)
def test_each_move_works_from_its_states_and_from_no_other(engine: Engine, move: Move) -> None:
    for status in JobStatus:
        run = bring_to(engine, status)
        allowed = status in TABLE[move][0]
        if (move, status) == (Move.CLAIM, JobStatus.PROCESSING):
            allowed = False  # allowed by the table, but not while the lease lives
        before = engine.job(run.job_id)
        # Its own result once more, as after an outage: known as written, and not written again.
        known = (move, status) == (Move.COMPLETE, JobStatus.COMPLETED)
        assert MOVES[move](engine, run) == (allowed or known), f"{move} from {status}"
        assert engine.job(run.job_id).status == (TABLE[move][1] if allowed else status)
        if not allowed:
            assert engine.job(run.job_id) == before


def expire(engine: Engine, run: Run) -> None:
    past = {"lease.expires_at": {"$subtract": ["$$NOW", 1]}}
    engine.services.database["jobs"].update_one({"_id": run.job_id}, [{"$set": past}])


def test_every_write_of_a_run_that_lost_its_lease_is_refused(engine: Engine) -> None:
    run = engine.claim(engine.submit().job_id)
    expire(engine, run)
    second = engine.claim(run.job_id, "another")
    for step in ("while the other runs", "after the other has ended"):
        before = engine.job(run.job_id)
        engine.services.jobs.pulse([Pulse(run=run, progress={"percent": 99}, logs=({"message": "late"},))])
        for move in (Move.COMPLETE, Move.FAIL, Move.RETRY, Move.HAND_BACK, Move.CONTINUE):
            assert not MOVES[move](engine, run), f"{move} {step}"
        assert not engine.services.jobs.cancel_run(run, error=ERROR, expires_after=None)
        assert engine.job(run.job_id) == before
        if step == "while the other runs":
            assert engine.complete(second)
    assert engine.job(run.job_id).attempt == 2


def test_an_expired_lease_is_taken_over_and_counts_as_an_attempt(engine: Engine) -> None:
    run = engine.claim(engine.submit().job_id)
    expire(engine, run)
    engine.claim(run.job_id, "another")
    assert (engine.job(run.job_id).tries, engine.job(run.job_id).attempt) == (2, 2)


def test_a_hand_back_and_a_continuation_count_no_attempt(engine: Engine) -> None:
    run = engine.claim(engine.submit().job_id)
    engine.services.jobs.hand_back(run)
    assert engine.job(run.job_id).tries == 0
    run = engine.claim(run.job_id)
    engine.services.jobs.hand_on(run, checkpoint={"pages": 3}, used_seconds=2.5)
    job = engine.job(run.job_id)
    assert (job.tries, job.attempt, job.checkpoint, job.used_seconds) == (0, 2, {"pages": 3}, 2.5)


def test_a_pulse_extends_the_lease_and_writes_progress_and_logs(engine: Engine) -> None:
    run = engine.claim(engine.submit().job_id)
    before = engine.job(run.job_id)
    engine.services.jobs.pulse([Pulse(run=run)])
    silent = engine.job(run.job_id)
    assert silent.version == before.version, "a mere heartbeat wakes nobody"
    assert before.lease is not None
    assert silent.lease is not None
    assert silent.lease.expires_at >= before.lease.expires_at
    line = {"level": "info", "message": "$not.a.field"}
    engine.services.jobs.pulse([Pulse(run=run, progress={"step": "$x", "percent": 5}, logs=(line,))])
    told = engine.job(run.job_id)
    assert told.progress == {"step": "$x", "percent": 5}
    assert told.logs[-1]["message"] == "$not.a.field"
    assert told.version == before.version + 1
