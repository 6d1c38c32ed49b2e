"""The timer finds what was lost, and leaves alone what was not."""

from __future__ import annotations

from common.jobs.sweep import sweep
from tests.integration.engine.helpers import WORKER, Engine


def test_a_fresh_job_is_left_to_its_message(engine: Engine) -> None:
    engine.submit()
    assert sweep(engine.services).resent == 0


def test_jobs_whose_messages_are_lost_are_announced_however_long_they_have_waited(engine: Engine) -> None:
    job_ids = [engine.submit().job_id for _ in range(3)]
    engine.empty_queue()
    _age(engine, next_look_seconds=3_000)
    assert sweep(engine.services).resent == 3
    assert engine.waiting_messages() == 3
    assert engine.services.jobs.claim(job_ids[0], WORKER)


def test_jobs_that_wait_in_a_long_queue_are_not_announced_anew(engine: Engine) -> None:
    for _ in range(3):
        engine.submit()
    _age(engine, next_look_seconds=3_000)
    assert sweep(engine.services).resent == 0
    assert engine.waiting_messages() == 3


def test_paused_and_later_jobs_are_not_missed_by_the_queue(engine: Engine) -> None:
    engine.submit(not_before="2100-01-01T00:00:00Z")
    paused = engine.submit()
    engine.services.control.set_paused([paused.job_id], paused=True)
    engine.empty_queue()
    _age(engine, next_look_seconds=3_000)
    assert sweep(engine.services).resent == 0


def _age(engine: Engine, *, next_look_seconds: float) -> None:
    """As if the jobs had been there for an hour, and the sweep had just looked at them."""
    past = {"$subtract": ["$$NOW", 3_600_000]}
    later = {"$add": ["$$NOW", int(next_look_seconds * 1000)]}
    values = {"created_at": past, "updated_at": past, "resend_at": later}
    engine.services.database["jobs"].update_many({}, [{"$set": values}])
