"""Every query by which users control jobs: change, cancel, restart, pause, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.read_concern import ReadConcern

from common.jobs.database import Document
from common.jobs.lifecycle import ACTIVE, FINAL, JobStatus, Move, sources, target
from common.jobs.model import Job
from common.jobs.search import words_of
from common.jobs.updates import (
    NOTHING_RUNS,
    Timing,
    after,
    line,
    literal,
    removed_after,
    stamped,
    with_logs,
)
from common.webhooks import outbox
from common.webhooks.events import EventType

# Enough of a job to announce it.
ANNOUNCED = {"results": 0, "files": 0, "logs": 0, "checkpoint": 0}

Done = TypeVar("Done")


class ControlStore:
    """Refuses every move that the lifecycle table does not have.

    Members of a batch are named by their ids: a query by state could miss a member that changes its
    state while the index is read.
    """

    def __init__(self, database: Database[Document], timing: Timing) -> None:
        self._database = database
        self._jobs: Collection[Document] = database["jobs"]
        self._batches: Collection[Document] = database["batches"]
        self._timing = timing

    # One job

    def update(self, job_id: str, values: Document, *, only_pending: bool) -> bool:
        only = {"status": JobStatus.PENDING} if only_pending else {}
        return self._write({"_id": job_id} | only, literal(values))

    def cancel_waiting(self, job_id: str, *, error: Document, expires_after: float | None) -> bool:
        """Ends a job that no living worker holds: it never runs."""
        return self._write({"_id": job_id} | _unheld(), self._cancelled(error, expires_after))

    def request_cancel(self, job_id: str) -> bool:
        """Tells the worker that holds the job; from here on its result is refused."""
        return self._write({"_id": job_id, "status": JobStatus.PROCESSING}, {"cancel_requested": True})

    def restart(self, job_id: str, *, parameters: Document) -> bool:
        """The job and its batch at once, so that the batch can close once more after it."""

        def write(session: ClientSession) -> bool:
            job = self._jobs.find_one({"_id": job_id}, {"batch_id": 1, "job_name": 1}, session=session)
            if job is None:
                return False
            paused = self._reopen(job["batch_id"], session) if job["batch_id"] else False
            changed = {"parameters": parameters, "words": words_of(job.get("job_name"), parameters)}
            again = self._restarted(paused=paused) | literal(changed)
            final = {"_id": job_id, "status": {"$in": sources(Move.RESTART)}}
            if self._jobs.update_one(final, stamped(again), session=session).matched_count:
                return True
            session.abort_transaction()
            return False

        return self._together(write)

    def request_delete(self, job_id: str) -> None:
        """Should we not live to see it stop, the sweep removes the job."""
        self._write({"_id": job_id}, _deleting())

    def delete(self, job_id: str) -> bool:
        """Only what does not run: a running job is cancelled first."""
        idle = {"status": {"$in": [*FINAL, JobStatus.PENDING]}}
        return self._jobs.delete_one({"_id": job_id} | idle).deleted_count == 1

    # All members of a batch

    def members(self, job_ids: Sequence[str], statuses: Sequence[JobStatus]) -> list[Job]:
        wanted = {"_id": {"$in": list(job_ids)}, "status": {"$in": list(statuses)}}
        return [Job.from_document(document) for document in self._jobs.find(wanted, ANNOUNCED)]

    def cancel_members(self, job_ids: Sequence[str], *, error: Document, expires_after: float | None) -> None:
        """The mark comes first, and no marked job is ever claimed or goes back to wait. Then those that
        wait are ended; the others are with workers, who read the mark."""
        mine = {"_id": {"$in": list(job_ids)}}
        active = mine | {"status": {"$in": list(ACTIVE)}, "cancel_requested": False}
        self._jobs.update_many(active, stamped({"cancel_requested": True}))
        marked = mine | {"cancel_requested": True} | _unheld()
        self._jobs.update_many(marked, stamped(self._cancelled(error, expires_after)))

    def restart_failed(self, batch_id: str) -> list[Job]:
        """All failed members at once, with their batch; the jobs that wait now."""

        def write(session: ClientSession) -> list[Job]:
            failed = {"batch_id": batch_id, "status": JobStatus.FAILED}
            ids = [item["_id"] for item in self._jobs.find(failed, {"_id": 1}, session=session)]
            if not ids:
                return []
            paused = self._reopen(batch_id, session)
            mine = {"_id": {"$in": ids}}
            self._jobs.update_many(mine | failed, stamped(self._restarted(paused=paused)), session=session)
            return [Job.from_document(item) for item in self._jobs.find(mine, ANNOUNCED, session=session)]

        return self._together(write)

    def set_paused(self, job_ids: Sequence[str], *, paused: bool) -> None:
        active = {"_id": {"$in": list(job_ids)}, "status": {"$in": list(ACTIVE)}}
        self._jobs.update_many(active, stamped({"paused": paused}))

    def request_delete_of_batch(self, batch_id: str, job_ids: Sequence[str]) -> None:
        self._batches.update_one({"_id": batch_id}, stamped({"delete_requested": True, "check_at": after(0)}))
        self._jobs.update_many({"_id": {"$in": list(job_ids)}}, stamped(_deleting()))

    # Shared by all of the above

    def _cancelled(self, error: Document, expires_after: float | None) -> Document:
        ended = {"error": error, "cancel_requested": True, "resend_at": None, "checkpoint": None}
        return literal(ended | NOTHING_RUNS) | {
            "status": target(Move.CANCEL),
            "completed_at": "$$NOW",
            "expires_at": removed_after(expires_after),
            "logs": with_logs([line("info", target(Move.CANCEL))], keep=self._timing.log_lines),
            "outbox": outbox.marked(EventType.JOB_CANCELLED),
        }

    def _restarted(self, *, paused: bool) -> Document:
        fresh: Document = {
            "results": None, "files": [], "error": None, "progress": None,
            "checkpoint": None, "cancel_requested": False, "tries": 0, "used_seconds": 0.0,
            "not_before": None, "processing_started_at": None, "completed_at": None, "expires_at": None,
            "paused": paused,
        }  # fmt: skip
        return literal(fresh | NOTHING_RUNS) | {
            "status": target(Move.RESTART),
            "resend_at": after(self._timing.resend_seconds),
            "logs": with_logs([line("info", "restarted")], keep=self._timing.log_lines),
        }

    def _reopen(self, batch_id: str, session: ClientSession) -> bool:
        """Whether the batch is paused, which its restarted members are then too."""
        opened = literal({"closed_at": None, "archive": None})
        opened["check_at"] = after(self._timing.resend_seconds)
        batch = self._batches.find_one_and_update({"_id": batch_id}, stamped(opened), session=session)
        return batch is not None and not batch["is_active"]

    def _write(self, query: Document, values: Document) -> bool:
        """False says that the job is no longer what the caller believed."""
        return self._jobs.update_one(query, stamped(values)).matched_count == 1

    def _together(self, write: Callable[[Any], Done]) -> Done:
        """Both writes or none, whatever dies in between."""
        with self._database.client.start_session() as session:
            return session.with_transaction(
                write,
                read_concern=ReadConcern("snapshot"),
                write_concern=self._jobs.write_concern,
            )


def _unheld() -> Document:
    """Jobs that no living worker holds."""
    expired = {"status": JobStatus.PROCESSING, "$expr": {"$lt": ["$lease.expires_at", "$$NOW"]}}
    return {"$or": [{"status": JobStatus.PENDING}, expired]}


def _deleting() -> Document:
    """What has ended already is due at once; what has not, when it ends."""
    due = {"$cond": [{"$in": ["$status", sorted(FINAL)]}, "$$NOW", "$expires_at"]}
    return {"delete_requested": True, "expires_at": due}
