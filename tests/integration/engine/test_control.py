"""Users change, cancel, restart and delete single jobs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from common.access import Caller
from common.errors import Conflict, Forbidden, NotFound, SecretaryError, ValidationFailed
from common.jobs.control import cancel_job, delete_job, restart_job, update_job
from common.jobs.lifecycle import JobStatus
from common.jobs.sweep import sweep
from common.objects import keys
from tests.integration.engine.helpers import WORKER, Engine

STRANGER = Caller(user_id="eve")
WRITER = Caller(user_id="bob")
SHARED_WITH_BOB = {"write_access": ["bob"]}


def test_a_pending_job_takes_new_parameters_tags_and_priority(engine: Engine) -> None:
    job = engine.submit()
    change = {"priority": 7, "tags": ["a"], "parameters": {"marker": "new"}, "job_name": "renamed"}
    changed = update_job(engine.services, engine.caller, job.job_id, change)
    assert (changed.priority, changed.tags, changed.job_name) == (7, ("a",), "renamed")
    assert changed.parameters["marker"] == "new"
    assert changed.version == job.version + 1


def test_a_raised_priority_puts_the_job_into_the_fast_lane(engine: Engine) -> None:
    job = engine.submit()
    update_job(engine.services, engine.caller, job.job_id, {"priority": 9})
    (delivery,) = engine.services.queue.receive(["jobs-noop-high"], limit=1, wait_seconds=0)
    assert delivery.message.subject_id == job.job_id


def test_parameters_of_a_running_job_stay_while_its_tags_may_change(engine: Engine) -> None:
    job = engine.submit()
    engine.claim(job.job_id)
    with pytest.raises(Conflict, match="processing"):
        update_job(engine.services, engine.caller, job.job_id, {"parameters": {"marker": "late"}})
    assert update_job(engine.services, engine.caller, job.job_id, {"tags": ["b"]}).tags == ("b",)


@pytest.mark.parametrize(
    "change", [{}, {"priority": 10}, {"status": "completed"}, {"parameters": {"unknown": 1}}, {"tags": "a"}]
)
def test_a_change_that_cannot_be_made_is_refused(engine: Engine, change: dict[str, Any]) -> None:
    job = engine.submit()
    with pytest.raises(ValidationFailed):
        update_job(engine.services, engine.caller, job.job_id, change)
    assert engine.job(job.job_id) == job


def test_only_an_admin_of_the_job_may_share_it(engine: Engine) -> None:
    job = engine.submit(access_control=SHARED_WITH_BOB)
    with pytest.raises(Forbidden):
        update_job(engine.services, WRITER, job.job_id, {"access_control": {"visibility": "public"}})
    public = update_job(
        engine.services, engine.caller, job.job_id, {"access_control": {"visibility": "public"}}
    )
    assert public.access_control["visibility"] == "public"


def test_strangers_find_nothing_to_control_and_writers_nothing_to_delete(engine: Engine) -> None:
    job = engine.submit(access_control=SHARED_WITH_BOB)
    services = engine.services
    for act in (
        lambda: update_job(services, STRANGER, job.job_id, {"tags": []}),
        lambda: cancel_job(services, STRANGER, job.job_id),
        lambda: restart_job(services, STRANGER, job.job_id, {}),
        lambda: delete_job(services, STRANGER, job.job_id),
    ):
        with pytest.raises(NotFound):
            act()
    with pytest.raises(Forbidden):
        delete_job(services, WRITER, job.job_id)
    assert engine.job(job.job_id) == job


def test_a_cancelled_waiting_job_never_runs(engine: Engine) -> None:
    job = engine.submit()
    cancelled = cancel_job(engine.services, engine.caller, job.job_id)
    assert cancelled.status == JobStatus.CANCELLED
    assert cancelled.error is not None
    assert cancelled.error["code"] == "CANCELLED"
    assert engine.services.jobs.claim(job.job_id, WORKER) is None
    assert cancel_job(engine.services, engine.caller, job.job_id).version == cancelled.version


def test_a_result_that_comes_after_the_cancel_is_refused(engine: Engine) -> None:
    job = engine.submit()
    run = engine.claim(job.job_id)
    assert cancel_job(engine.services, engine.caller, job.job_id).cancel_requested
    assert not engine.complete(run)
    assert not engine.services.jobs.hand_back(run)
    assert engine.services.jobs.cancel_run(run, error={"code": "CANCELLED"}, expires_after=None)
    assert engine.job(job.job_id).status == JobStatus.CANCELLED


def test_what_has_ended_cannot_be_cancelled(engine: Engine) -> None:
    job = engine.submit()
    engine.complete(engine.claim(job.job_id))
    with pytest.raises(Conflict, match="completed"):
        cancel_job(engine.services, engine.caller, job.job_id)


def test_a_cancel_whose_worker_died_is_finished_by_the_sweep(engine: Engine) -> None:
    job = engine.submit()
    engine.claim(job.job_id)
    cancel_job(engine.services, engine.caller, job.job_id)
    _let_lease_expire(engine, job.job_id)
    assert sweep(engine.services).cancelled == 1
    assert engine.job(job.job_id).status == JobStatus.CANCELLED


def test_a_restarted_job_begins_anew_with_changed_parameters(engine: Engine) -> None:
    job = engine.submit(parameters={"marker": "kept"})
    engine.complete(engine.claim(job.job_id))
    engine.empty_queue()
    again = restart_job(
        engine.services, engine.caller, job.job_id, {"use_cache": False, "parameters": {"seconds": 1.0}}
    )
    assert again.status == JobStatus.PENDING
    assert (again.parameters["marker"], again.parameters["seconds"]) == ("kept", 1.0)
    assert again.parameters["use_cache"] is False
    assert (again.results, again.error, again.completed_at, again.tries) == (None, None, None, 0)
    assert again.processing_started_at is None, "until it starts, it has not worked"
    assert again.attempt == 1, "the fence goes on counting, so that no late write of the first run fits"
    assert engine.waiting_messages() == 1
    assert engine.complete(engine.claim(job.job_id))


def test_a_job_that_has_not_ended_cannot_be_restarted(engine: Engine) -> None:
    job = engine.submit()
    with pytest.raises(Conflict, match="pending"):
        restart_job(engine.services, engine.caller, job.job_id, {})
    assert engine.job(job.job_id) == job


def test_a_deleted_job_takes_its_objects_with_it(engine: Engine) -> None:
    job = engine.submit()
    run = engine.claim(job.job_id)
    for key in (keys.result(job.job_id, run.attempt, "a.md"), keys.archive(job.job_id, run.attempt, "a.zip")):
        engine.services.objects.put(key, b"bytes", "text/plain")
    engine.complete(run)
    assert delete_job(engine.services, engine.caller, job.job_id)
    assert engine.services.jobs.get(job.job_id) is None
    assert not list(engine.services.objects.listing(keys.job_prefix(job.job_id)))
    assert not list(engine.services.objects.listing(keys.archive_prefix(job.job_id)))


def test_a_running_job_is_stopped_before_it_is_deleted(engine: Engine) -> None:
    job = engine.submit()
    run = engine.claim(job.job_id)

    def stop_when_asked() -> None:
        while not engine.services.jobs.states([job.job_id])[job.job_id][2]:
            pass
        engine.services.jobs.cancel_run(run, error={"code": "CANCELLED"}, expires_after=None)

    worker = threading.Thread(target=stop_when_asked)
    worker.start()
    assert delete_job(engine.services, engine.caller, job.job_id)
    worker.join()
    assert engine.services.jobs.get(job.job_id) is None


def test_a_job_that_does_not_stop_in_time_is_removed_by_the_sweep_when_it_has(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("common.jobs.control.stopped", lambda *_: False)
    job = engine.submit()
    run = engine.claim(job.job_id)
    assert not delete_job(engine.services, engine.caller, job.job_id)
    cancel_job(engine.services, engine.caller, job.job_id)
    engine.services.jobs.cancel_run(run, error={"code": "CANCELLED"}, expires_after=None)
    assert sweep(engine.services).removed == 1
    assert engine.services.jobs.get(job.job_id) is None


def test_cancel_and_complete_at_the_same_moment_leave_one_end(engine: Engine) -> None:
    for _ in range(20):
        job = engine.submit()
        run = engine.claim(job.job_id)
        outcomes: list[bool] = []
        worker = threading.Thread(
            target=lambda outcomes=outcomes, run=run: outcomes.append(engine.complete(run))
        )
        worker.start()
        try:
            cancel_job(engine.services, engine.caller, job.job_id)
        except SecretaryError:
            assert engine.job(job.job_id).status == JobStatus.COMPLETED
        worker.join()
        now = engine.job(job.job_id)
        assert (now.status == JobStatus.COMPLETED) == outcomes[0]
        assert now.cancel_requested != outcomes[0]


def _let_lease_expire(engine: Engine, job_id: str) -> None:
    past = {"$subtract": ["$$NOW", 1]}
    engine.services.database["jobs"].update_one(
        {"_id": job_id}, [{"$set": {"lease.expires_at": past, "resend_at": past}}]
    )
