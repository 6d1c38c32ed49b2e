"""Users control whole batches; counts always equal the members."""

from __future__ import annotations

import threading

import pytest

from common.access import Caller
from common.errors import ArchiveNotFound, Forbidden, NotFound, ValidationFailed
from common.jobs.batch_archive import ensure_batch_archive
from common.jobs.batch_control import archive_batch, cancel_batch, delete_batch, retry_failed, toggle_active
from common.jobs.control import delete_job, restart_job
from common.jobs.lifecycle import BatchStatus, JobStatus
from common.jobs.store import Run
from common.jobs.submit import submit_batch
from common.jobs.sweep import sweep
from common.objects import keys
from tests.integration.engine.helpers import RESULT, WORKER, Engine


@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_batches_of_any_size_are_stored_and_announced_whole(engine: Engine, count: int) -> None:
    batch, job_ids = engine.submit_batch(count)
    assert len(set(job_ids)) == count == batch.total_jobs == engine.batch(batch.batch_id).total_jobs
    assert engine.waiting_messages() == count
    assert engine.batch(batch.batch_id).status == (BatchStatus.PENDING if count else BatchStatus.COMPLETED)


def test_one_wrong_member_refuses_the_batch_with_its_place(engine: Engine) -> None:
    jobs = [{"job_type": "noop"}, {"job_type": "noop", "parameters": {"seconds": "soon"}}]
    with pytest.raises(ValidationFailed, match=r"jobs\.1\.parameters\.seconds"):
        submit_batch(engine.services, engine.caller, {"jobs": jobs}, key=None)
    assert engine.services.database["jobs"].estimated_document_count() == 0
    assert engine.services.database["batches"].estimated_document_count() == 0
    assert engine.waiting_messages() == 0


def test_members_that_end_at_the_same_time_close_their_batch_once(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(40)
    closed: list[object] = []

    def finish(mine: list[str]) -> None:
        for job_id in mine:
            engine.complete(engine.claim(job_id))
            if engine.services.batches.close_if_done(batch.batch_id):
                closed.append(job_id)

    workers = [threading.Thread(target=finish, args=(job_ids[n::8],)) for n in range(8)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        assert engine.batch(batch.batch_id).total_jobs == 40, "a member was missed or counted twice"
    for worker in workers:
        worker.join()
    assert len(closed) == 1
    now = engine.batch(batch.batch_id)
    assert (now.count(JobStatus.COMPLETED), now.status) == (40, BatchStatus.COMPLETED)
    assert now.closed_at is not None


def test_some_failed_members_make_a_partial_batch(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(3)
    engine.fail(engine.claim(job_ids[0]))
    for job_id in job_ids[1:]:
        engine.complete(engine.claim(job_id))
    assert engine.batch(batch.batch_id).status == BatchStatus.PARTIAL


def test_after_a_cancel_no_member_starts(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(30)
    started: set[str] = set()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            for job_id in job_ids:
                job = engine.services.jobs.claim(job_id, WORKER)
                if job:
                    started.add(job_id)
                    engine.services.jobs.hand_back(_run(job_id, job.attempt))

    worker = threading.Thread(target=work)
    worker.start()
    while len(started) < 5:
        pass
    cancelled = cancel_batch(engine.services, engine.caller, batch.batch_id)
    stop.set()
    worker.join()
    assert cancelled.total_jobs == 30
    for job_id in job_ids:
        job = engine.job(job_id)
        assert job.status == JobStatus.CANCELLED or job.cancel_requested
        assert engine.services.jobs.claim(job_id, WORKER) is None
        if not job.is_final:
            assert engine.services.jobs.cancel_run(
                _run(job_id, job.attempt), error={"code": "CANCELLED"}, expires_after=None
            )
    engine.services.batches.close_if_done(batch.batch_id)
    assert engine.batch(batch.batch_id).status == BatchStatus.CANCELLED


def test_members_of_an_inactive_batch_wait_and_start_when_it_is_active_again(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(3)
    engine.empty_queue()
    paused = toggle_active(engine.services, engine.caller, batch.batch_id, {})
    assert not paused.is_active
    assert [engine.services.jobs.claim(job_id, WORKER) for job_id in job_ids] == [None] * 3
    active = toggle_active(engine.services, engine.caller, batch.batch_id, {"isActive": True})
    assert active.is_active
    assert engine.waiting_messages() == 3
    for job_id in job_ids:
        assert engine.complete(engine.claim(job_id))


def test_only_failed_members_are_retried_and_the_batch_closes_once_more(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(3)
    engine.fail(engine.claim(job_ids[0]))
    for job_id in job_ids[1:]:
        engine.complete(engine.claim(job_id))
    assert engine.services.batches.close_if_done(batch.batch_id)
    engine.empty_queue()
    reopened, again = retry_failed(engine.services, engine.caller, batch.batch_id)
    assert again == [job_ids[0]]
    assert (reopened.closed_at, reopened.status) == (None, BatchStatus.PROCESSING)
    assert engine.waiting_messages() == 1
    engine.complete(engine.claim(job_ids[0]))
    closed = engine.services.batches.close_if_done(batch.batch_id)
    assert closed is not None
    assert closed.status == BatchStatus.COMPLETED
    assert retry_failed(engine.services, engine.caller, batch.batch_id)[1] == []
    assert engine.batch(batch.batch_id).closed_at is not None, "with nothing to retry the batch stays closed"


def test_a_member_that_is_restarted_in_an_inactive_batch_waits(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(1)
    engine.complete(engine.claim(job_ids[0]))
    toggle_active(engine.services, engine.caller, batch.batch_id, {"isActive": False})
    assert restart_job(engine.services, engine.caller, job_ids[0], {}).paused
    assert engine.services.jobs.claim(job_ids[0], WORKER) is None


def test_a_refused_restart_leaves_the_batch_closed(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(2)
    before = engine.batch(batch.batch_id)
    assert not engine.services.control.restart(job_ids[0], parameters={})
    assert engine.batch(batch.batch_id) == before


def test_an_archived_batch_is_marked_and_can_come_back(engine: Engine) -> None:
    batch, _ = engine.submit_batch(1)
    assert archive_batch(engine.services, engine.caller, batch.batch_id, {}).archived
    assert not archive_batch(engine.services, engine.caller, batch.batch_id, {"archived": False}).archived


def test_a_deleted_batch_takes_members_and_objects_with_it(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(5)
    run = engine.claim(job_ids[0])
    key = keys.result(job_ids[0], run.attempt, "a.md")
    engine.services.objects.put(key, b"bytes", "text/plain")
    engine.services.objects.put(keys.batch_archive(batch.batch_id, "a.zip"), b"bytes", "application/zip")
    engine.complete(run)
    assert delete_batch(engine.services, engine.caller, batch.batch_id)
    assert engine.services.batches.get(batch.batch_id) is None
    assert [engine.services.jobs.get(job_id) for job_id in job_ids] == [None] * 5
    assert not list(engine.services.objects.listing(keys.job_prefix(job_ids[0])))
    assert not list(engine.services.objects.listing(keys.batch_archive_prefix(batch.batch_id)))


def test_a_batch_whose_deletion_was_interrupted_is_removed_by_the_sweep(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(2)
    engine.services.control.request_delete_of_batch(batch.batch_id, job_ids)
    cancel_batch(engine.services, engine.caller, batch.batch_id)
    sweep(engine.services)
    assert engine.services.batches.get(batch.batch_id) is None
    assert [engine.services.jobs.get(job_id) for job_id in job_ids] == [None] * 2


def test_the_end_of_a_batch_that_its_last_worker_did_not_see_is_found_by_the_sweep(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(1)
    engine.complete(engine.claim(job_ids[0]))
    past = {"$subtract": ["$$NOW", 1]}
    engine.services.database["batches"].update_one({"_id": batch.batch_id}, [{"$set": {"check_at": past}}])
    assert sweep(engine.services).closed == 1
    assert engine.batch(batch.batch_id).closed_at is not None


def test_a_deleted_member_is_no_longer_counted(engine: Engine) -> None:
    batch, job_ids = engine.submit_batch(2)
    engine.complete(engine.claim(job_ids[0]))
    assert delete_job(engine.services, engine.caller, job_ids[1])
    now = engine.batch(batch.batch_id)
    assert (now.total_jobs, now.status) == (1, BatchStatus.COMPLETED)
    assert now.closed_at is not None


def test_strangers_find_no_batch_and_readers_may_only_look(engine: Engine) -> None:
    body = {"jobs": [{"job_type": "noop"}], "access_control": {"read_access": ["bob"]}}
    batch, _ = submit_batch(engine.services, engine.caller, body, key=None)
    with pytest.raises(NotFound):
        cancel_batch(engine.services, Caller(user_id="eve"), batch.batch_id)
    with pytest.raises(Forbidden):
        cancel_batch(engine.services, Caller(user_id="bob"), batch.batch_id)
    with pytest.raises(Forbidden):
        delete_batch(engine.services, Caller(user_id="bob"), batch.batch_id)


def _run(job_id: str, attempt: int) -> Run:
    return Run(job_id=job_id, attempt=attempt, worker_id=WORKER)


def test_an_archive_asked_for_right_after_the_last_member_is_built(engine: Engine) -> None:
    """Between the end of the last member and the end of the batch lies a moment."""
    batch, (job_id,) = engine.submit_batch(1)
    with pytest.raises(ArchiveNotFound):
        ensure_batch_archive(engine.services, engine.batch(batch.batch_id))
    engine.complete(engine.claim(job_id))
    assert engine.batch(batch.batch_id).closed_at is None
    job = ensure_batch_archive(engine.services, engine.batch(batch.batch_id))
    assert job.status == JobStatus.PENDING
    assert engine.batch(batch.batch_id).closed_at is not None


def test_members_are_read_without_what_is_long(engine: Engine) -> None:
    batch, (job_id,) = engine.submit_batch(1)
    run = engine.claim(job_id)
    short = {"markdown_file": "a.md", "metadata": {"title": "A"}, "structured_data": {"event": "B"}}
    long = {"page_texts": ["x"], "assets": [{"path": "x"}], "llm_requests": [{"model": "x"}]}
    files = [{"path": "a.md", "key": "k", "size": 1, "sha256": "0", "media_type": "text/markdown"}]
    done = RESULT | {"results": short | long, "files": files}
    assert engine.services.jobs.complete(run, **done, expires_after=None)
    texts = {"text": "x", "template_content": "x", "video_transcript": "x"}
    parameters = {"url": "u", "session": "s", "event": "e", "target_language": "de"}
    engine.services.database["jobs"].update_one({"_id": job_id}, {"$set": {"parameters": parameters | texts}})
    (member,) = engine.services.batches.members(batch.batch_id, [JobStatus.COMPLETED])
    assert (member.results, member.parameters, list(member.files)) == (short, parameters, files)
    assert member.logs == ()
