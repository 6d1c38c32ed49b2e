"""Every query of the stores and the queue uses an index: each is recorded, then explained."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.monitoring import CommandListener, CommandStartedEvent

from common.access import Caller, visible_filter
from common.clock import utc_now
from common.jobs.batch_store import BatchStore
from common.jobs.control_store import ControlStore
from common.jobs.database import Document
from common.jobs.store import Completion, JobStore, Pulse, Run
from common.queue.mongo import MongoQueue
from common.settings import Settings
from common.uploads.store import Upload, UploadStore
from tests.integration.engine.helpers import RESULT, WORKER, Engine

QUERIES = {"find", "aggregate", "update", "delete", "findAndModify", "count", "distinct"}
TRANSPORT = {"lsid", "$db", "$clusterTime", "txnNumber", "$readPreference", "readConcern", "autocommit",
             "startTransaction", "writeConcern", "ordered", "maxTimeMS"}  # fmt: skip
NO_QUERY = {"insert", "now", "check", "wake", "send"}
STRANGER = Caller(user_id="eve", groups=frozenset({"club"}))
ERROR = {"code": "X"}


class Recorder(CommandListener):
    """All commands that have a filter."""

    def __init__(self) -> None:
        self.commands: list[Document] = []

    def started(self, event: CommandStartedEvent) -> None:
        if event.command_name in QUERIES:
            self.commands.append(dict(event.command))

    def succeeded(self, event: object) -> None:
        return

    def failed(self, event: object) -> None:
        return


@pytest.fixture
def recorder(settings: Settings) -> Iterator[tuple[Recorder, Database[Document]]]:
    listener = Recorder()
    uri = settings.mongodb.uri.get_secret_value()
    with MongoClient[Document](uri, tz_aware=True, event_listeners=[listener]) as client:
        yield listener, client[settings.mongodb.db_name]


def test_no_query_scans_a_collection(engine: Engine, recorder: tuple[Recorder, Database[Document]]) -> None:
    listener, database = recorder
    for _ in range(3):
        engine.submit_batch(20)
    batch, job_ids = engine.submit_batch(5)
    timing = engine.services.jobs._timing
    called: set[str] = set()
    jobs = _noting(called, JobStore(database, timing))
    batches = _noting(called, BatchStore(database, check_seconds=1))
    control = _noting(called, ControlStore(database, timing))
    queue = _noting(called, MongoQueue(database, visibility_seconds=60, max_deliveries=5, poll_seconds=5))
    _use_all(jobs, batches, control, queue, batch.batch_id, job_ids)
    _use_uploads(_noting(called, UploadStore(database)))
    offered = {
        f"{kind.__name__}.{name}"
        for kind in (JobStore, BatchStore, ControlStore, MongoQueue, UploadStore)
        for name, _ in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_") and name not in NO_QUERY
    }
    assert called == offered, "a method of a store is not tried here"
    scans = [command for command in _single(listener.commands) if "COLLSCAN" in _plan(database, command)]
    assert len(listener.commands) > len(offered)
    assert scans == []


def _use_all(jobs: Any, batches: Any, control: Any, queue: Any, batch_id: str, job_ids: list[str]) -> None:
    first = job_ids[0]
    run = Run(job_id=first, attempt=1, worker_id=WORKER)
    jobs.by_idempotency_key("key")
    jobs.forget_key(first)
    jobs.waiting_by_type()
    jobs.bring_forward("noop")
    jobs.get(first)
    for query in ({}, {"status": "pending"}, {"job_type": "noop"}, {"user_id": "ada"}, {"tags": "x"},
                  {"batch_id": batch_id}, visible_filter(STRANGER)):  # fmt: skip
        jobs.find(query, limit=10)
        jobs.count(query, at_most=100)
    for query in ({}, {"user_id": "ada"}, {"check_at": {"$type": "date"}}, visible_filter(STRANGER)):
        batches.find(query, limit=10)
        batches.count(query, at_most=100)
    jobs.holding("cache/pdf/x/native", visible_filter(STRANGER))
    jobs.states(job_ids)
    jobs.claim(first, WORKER)
    jobs.claim_many(job_ids[1:3], WORKER)
    jobs.pulse([Pulse(run=run, progress={"percent": 1}, logs=({"message": "x"},))])
    jobs.cancel_run(run, error=ERROR, expires_after=None)
    jobs.retry(run, error=ERROR, delay_seconds=0)
    jobs.hand_back(run)
    jobs.hand_on(run, checkpoint={}, used_seconds=0)
    jobs.fail(run, error=ERROR, expires_after=1)
    jobs.complete(run, **RESULT, expires_after=1)
    jobs.complete_many([Completion(run=run, **RESULT, expires_after=1)])
    jobs.take_overdue(limit=10)
    jobs.expired(limit=10)
    jobs.with_outbox(older_seconds=0, limit=10)
    jobs.clear_outbox(first, [1])
    jobs.disable_webhook({"_id": first})
    batches.by_idempotency_key("key")
    batches.forget_key(batch_id)
    batches.get(batch_id)
    batches.member_ids(batch_id)
    batches.members(batch_id, ["pending"])
    batches.has_members(batch_id)
    batches.close_if_done(batch_id)
    batches.set_active(batch_id, active=True)
    batches.set_archived(batch_id, archived=True)
    batches.set_archive(batch_id, {})
    batches.take_unclosed(limit=10)
    batches.look_again([batch_id])
    batches.forget_check(batch_id)
    batches.with_outbox(older_seconds=0, limit=10)
    batches.clear_outbox(batch_id, [1])
    batches.disable_webhook(batch_id, url="https://x.example/hook")
    control.update(first, {"tags": []}, only_pending=True)
    control.cancel_waiting(first, error=ERROR, expires_after=None)
    control.request_cancel(first)
    control.restart(first, parameters={})
    control.request_delete(first)
    control.members(job_ids, ["pending"])
    control.set_paused(job_ids, paused=False)
    control.restart_failed(batch_id)
    control.cancel_members(job_ids, error=ERROR, expires_after=None)
    control.request_delete_of_batch(batch_id, job_ids)
    control.delete(first)
    for limit in (1, 3):
        taken = queue.receive(["jobs-noop-high", "jobs-noop"], limit=limit, wait_seconds=0)
        queue.extend(taken)
        queue.retry_later(taken[0], delay_seconds=1)
        queue.done(taken)
    queue.depth(["jobs-noop"])
    queue.wake()
    batches.delete(batch_id)


def _use_uploads(uploads: Any) -> None:
    now = utc_now()
    upload = Upload(
        upload_id="upload-1", user_id="ada", key="a", size=1, content_type="text/plain", expires_at=now
    )
    uploads.insert(upload, created_at=now)
    uploads.by_idempotency_key("key")
    uploads.forget_key("upload-1")
    uploads.owned(["upload-1"], "ada")
    uploads.keep(["upload-1"], until=now)
    uploads.expired(limit=10)
    uploads.retire(upload)
    uploads.delete("upload-1")


def _noting(called: set[str], store: Any) -> Any:
    """The store, with the names of the methods that are called on it."""

    class Noting:
        def __getattr__(self, name: str) -> Any:
            if name not in NO_QUERY:
                called.add(f"{type(store).__name__}.{name}")
            return getattr(store, name)

    return Noting()


def _single(commands: list[Document]) -> Iterator[Document]:
    """Explain takes one statement at a time, and no change streams."""
    for command in commands:
        plain = {name: value for name, value in command.items() if name not in TRANSPORT}
        parts = next((name for name in ("updates", "deletes") if name in plain), None)
        for part in plain[parts] if parts else [None]:
            yield plain if parts is None else plain | {parts: [part]}


def _plan(database: Database[Document], command: Document) -> str:
    if any("$changeStream" in stage for stage in command.get("pipeline", ())):
        return ""
    explained = database.command("explain", command, verbosity="queryPlanner")
    assert "winningPlan" in str(explained)
    return str(_winning(explained))


def _winning(value: Any) -> list[Any]:
    """The plans that would run, without those that were rejected."""
    if isinstance(value, dict):
        return [value.get("winningPlan"), *(_winning(item) for item in value.values())]
    return [_winning(item) for item in value] if isinstance(value, list) else []
