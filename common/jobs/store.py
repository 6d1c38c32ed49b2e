"""Every query on jobs. A claim is a lease on the database's clock; each later write of that run names
its attempt and is refused once another attempt has begun."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo import ReturnDocument, UpdateOne
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import BulkWriteError

from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus, Move, target
from common.jobs.model import Job
from common.jobs.together import Together
from common.jobs.unwritable import UNENCODABLE
from common.jobs.updates import NOTHING_RUNS, Timing, after, line, literal, removed_after, stamped, with_logs
from common.webhooks import outbox
from common.webhooks.events import EventType

# A list shows many jobs: what is long stays behind.
LIST_PROJECTION = {
    "logs": 0, "files": 0, "checkpoint": 0, "idempotency": 0, "words": 0,
    "parameters.text": 0, "parameters.template_content": 0, "parameters.video_transcript": 0,
    "results.page_texts": 0, "results.assets": 0, "results.structured_data": 0, "results.metadata": 0,
}  # fmt: skip
WHOLE_PROJECTION = {"logs": 0, "checkpoint": 0, "idempotency": 0, "words": 0}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One attempt at a job by one worker: the fence around all its writes."""

    job_id: str
    attempt: int
    worker_id: str


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a run delivered."""

    run: Run
    results: Document
    files: Sequence[Document]
    cache_prefixes: Sequence[str]
    progress: Document
    expires_after: float | None
    logs: Sequence[Document] = ()


@dataclass(frozen=True, kw_only=True)
class Pulse:
    """What a running job has to say since the last time: that it lives, how far it is, what it logged."""

    run: Run
    progress: Document | None = None
    logs: tuple[Document, ...] = ()
    caches: tuple[str, ...] = ()  # what it has in the shared cache so far


class JobStore:
    """Reads and writes jobs; refuses every move that the lifecycle table does not have."""

    def __init__(self, database: Database[Document], timing: Timing) -> None:
        self._jobs: Collection[Document] = database["jobs"]
        self._timing = timing
        self._insert_together = Together(self._insert_all)

    # Creating

    def insert(self, document: Document) -> None:
        self._insert_together(document)

    def _insert_all(self, documents: Sequence[Document]) -> dict[int, Exception]:
        """What is refused is tried alone and tells why; what befalls the connection befalls them all."""
        if len(documents) == 1:
            self._jobs.insert_one(documents[0])
            return {}
        try:
            self._jobs.insert_many(documents, ordered=False)
        except BulkWriteError as error:
            if error.details["writeConcernErrors"]:
                raise
            refused = [item["index"] for item in error.details["writeErrors"]]
        except UNENCODABLE:  # nothing was sent
            refused = list(range(len(documents)))
        else:
            return {}
        return {place: fault for place in refused if (fault := self._fault_of(documents[place]))}

    def _fault_of(self, document: Document) -> Exception | None:
        try:
            self._jobs.insert_one(document)
        except Exception as error:  # noqa: BLE001 - its own caller raises it
            return error
        return None

    def by_idempotency_key(self, key: str) -> Job | None:
        return self._one({"idempotency.key": {"$eq": key, "$type": "string"}})

    def forget_key(self, job_id: str) -> None:
        """The key's time is over: the job stays, and the key may make another one."""
        self._jobs.update_one({"_id": job_id}, {"$set": {"idempotency": None}})

    # Reading

    def get(self, job_id: str) -> Job | None:
        return self._one({"_id": job_id})

    def find(self, query: Document, *, limit: int, skip: int = 0, whole: bool = False) -> list[Job]:
        """Newest first; `whole` with the results in full, which may be long."""
        projection = WHOLE_PROJECTION if whole else LIST_PROJECTION
        found = self._jobs.find(query, projection).sort("_id", -1).skip(skip).limit(limit)
        return [Job.from_document(document) for document in found]

    def count(self, query: Document, *, at_most: int) -> int:
        """Exact up to a bound; all jobs of the store are known without counting."""
        if not query:
            return self._jobs.estimated_document_count()
        return self._jobs.count_documents(query, limit=at_most)

    def holding(self, cache_prefix: str, visible: Document) -> Job | None:
        """A job that this caller may read and whose results include files below that prefix."""
        return self._one({"$and": [{"cache_prefixes": cache_prefix}, visible]})

    def states(self, job_ids: Iterable[str]) -> dict[str, tuple[int, JobStatus, bool]]:
        """Attempt, status and whether a cancel was asked for: what a worker must notice."""
        wanted = {"attempt": 1, "status": 1, "cancel_requested": 1}
        found = self._jobs.find({"_id": {"$in": list(job_ids)}}, wanted)
        return {
            item["_id"]: (item["attempt"], JobStatus(item["status"]), item["cancel_requested"])
            for item in found
        }

    # Claiming

    def claim(self, job_id: str, worker_id: str) -> Job | None:
        """The lease, or None when the job is not due, runs elsewhere or is final."""
        document = self._jobs.find_one_and_update(
            {"_id": job_id} | self._claimable(),
            self._claiming(worker_id),
            return_document=ReturnDocument.AFTER,
        )
        return Job.from_document(document) if document else None

    def claim_many(self, job_ids: Sequence[str], worker_id: str) -> list[Job]:
        """Several leases for two round trips and one flush of the journal."""
        token = secrets.token_hex(8)
        wanted = {"_id": {"$in": list(job_ids)}}
        if not self._jobs.update_many(
            wanted | self._claimable(), self._claiming(worker_id, token)
        ).matched_count:
            return []
        claimed = self._jobs.find(wanted | {"lease.token": token})
        order = {job_id: place for place, job_id in enumerate(job_ids)}
        return sorted(map(Job.from_document, claimed), key=lambda job: order[job.job_id])

    def _claimable(self) -> Document:
        due = {"$lte": [{"$ifNull": ["$not_before", "$$NOW"]}, "$$NOW"]}
        return {
            "cancel_requested": False,
            "$or": [
                {"status": JobStatus.PENDING, "paused": False, "$expr": due},
                {"status": JobStatus.PROCESSING, "$expr": {"$lt": ["$lease.expires_at", "$$NOW"]}},
            ],
        }

    def _claiming(self, worker_id: str, token: str = "") -> list[Document]:
        lease = {
            "worker_id": {"$literal": worker_id},
            "expires_at": after(self._timing.lease_seconds),
            "token": {"$literal": token},
        }
        started: Document = {
            "status": target(Move.CLAIM),
            "attempt": {"$add": ["$attempt", 1]},
            "tries": {"$add": ["$tries", 1]},
            "lease": lease,
            "worker_id": {"$literal": worker_id},
            "processing_started_at": "$$NOW",
            "resend_at": after(self._timing.lease_seconds),
            "outbox": outbox.marked(EventType.JOB_STARTED),
            "updated_at": "$$NOW",
            "version": {"$add": ["$version", 1]},
        }
        logs = self._with_logs([line("info", f"started by {worker_id}")])
        return [{"$set": started}, {"$set": {"logs": logs}}]

    # Writes of a run, all behind the fence

    def pulse(self, pulses: Sequence[Pulse]) -> None:
        """Extends the leases of all running jobs and writes their progress: one round trip."""
        updates = [UpdateOne(self._fence(pulse.run), self._pulsing(pulse)) for pulse in pulses]
        self._jobs.bulk_write(updates, ordered=False)

    def _pulsing(self, pulse: Pulse) -> list[Document]:
        values: Document = {
            "lease.expires_at": after(self._timing.lease_seconds),
            "resend_at": after(self._timing.lease_seconds),
        }
        if pulse.progress is not None or pulse.logs:
            values |= {"updated_at": "$$NOW", "version": {"$add": ["$version", 1]}}
        if pulse.progress is not None:
            values |= literal({"progress": pulse.progress})
        if pulse.logs:
            values["logs"] = self._with_logs(pulse.logs)
        if pulse.caches:
            values["cache_prefixes"] = _also(pulse.caches)
        return [{"$set": values}]

    def complete(
        self, run: Run, *, results: Document, files: list[Document], cache_prefixes: list[str],
        progress: Document, expires_after: float | None, logs: Sequence[Document] = (),
    ) -> bool:  # fmt: skip
        delivered = Completion(
            run=run, results=results, files=files, cache_prefixes=cache_prefixes, progress=progress,
            expires_after=expires_after, logs=logs,
        )  # fmt: skip
        return bool(self.complete_many([delivered]))

    def complete_many(self, completions: Sequence[Completion]) -> set[str]:
        """Ids of those that these runs have ended, now or before: many ends for one flush of the journal."""
        updates = [
            UpdateOne(
                self._fence(item.run) | {"cancel_requested": False},
                stamped(
                    self._ended(
                        Move.COMPLETE,
                        {
                            "results": item.results,
                            "files": list(item.files),
                            "progress": item.progress,
                            "error": None,
                        },
                        item.logs,
                        item.expires_after,
                    )
                    | {"cache_prefixes": _also(item.cache_prefixes)}
                ),
            )
            for item in completions
        ]
        ids = {item.run.job_id for item in completions}
        if self._jobs.bulk_write(updates, ordered=False).matched_count == len(updates):
            return ids
        now = self.states(ids)
        return {
            item.run.job_id
            for item in completions
            if now.get(item.run.job_id, ())[:2] == (item.run.attempt, JobStatus.COMPLETED)
        }

    def fail(
        self, run: Run, *, error: Document, expires_after: float | None, logs: Sequence[Document] = ()
    ) -> bool:
        return self._end(run, Move.FAIL, {"error": error}, logs, expires_after=expires_after)

    def cancel_run(self, run: Run, *, error: Document, expires_after: float | None) -> bool:
        """The end of a running job that was asked to stop."""
        fence = self._fence(run) | {"cancel_requested": True}
        return self._end(run, Move.CANCEL, {"error": error}, (), expires_after=expires_after, fence=fence)

    def retry(
        self, run: Run, *, error: Document, delay_seconds: float, logs: Sequence[Document] = ()
    ) -> bool:
        return self._wait(run, Move.RETRY, {"error": {"$literal": error}}, delay_seconds, logs)

    def hand_back(self, run: Run) -> bool:
        """A worker that stops gives the job back; the attempt does not count."""
        return self._wait(run, Move.HAND_BACK, {"tries": {"$subtract": ["$tries", 1]}}, 0, ())

    def hand_on(self, run: Run, *, checkpoint: Document, used_seconds: float) -> bool:
        """The next run goes on at the checkpoint; the attempt does not count."""
        values = {
            "checkpoint": {"$literal": checkpoint},
            "tries": {"$subtract": ["$tries", 1]},
            "used_seconds": {"$add": ["$used_seconds", used_seconds]},
        }
        return self._wait(run, Move.CONTINUE, values, 0, ())

    def _fence(self, run: Run) -> Document:
        return {
            "_id": run.job_id,
            "attempt": run.attempt,
            "status": JobStatus.PROCESSING,
            "lease.worker_id": run.worker_id,
        }

    def _end(
        self, run: Run, move: Move, values: Document, logs: Sequence[Document], *,
        expires_after: float | None, fence: Document | None = None,
    ) -> bool:  # fmt: skip
        """A cancel that was acknowledged wins over a result that comes after it."""
        ended = self._ended(move, values, logs, expires_after)
        return self._write(fence or self._fence(run) | {"cancel_requested": False}, ended)

    def _ended(
        self, move: Move, values: Document, logs: Sequence[Document], expires_after: float | None
    ) -> Document:
        return literal(values | NOTHING_RUNS | {"checkpoint": None}) | {
            "status": target(move),
            "completed_at": "$$NOW",
            "resend_at": {"$literal": None},
            "expires_at": removed_after(expires_after),
            "logs": self._with_logs([*logs, line("info", target(move))]),
            "outbox": outbox.marked(EventType(f"job.{target(move)}")),
        }

    def _wait(self, run: Run, move: Move, values: Document, delay: float, logs: Sequence[Document]) -> bool:
        waiting = literal(NOTHING_RUNS) | values | {
            "status": target(move),
            "not_before": after(delay),
            "resend_at": after(delay + self._timing.resend_seconds),
            "logs": self._with_logs([*logs, line("info", move.value)]),
        }  # fmt: skip
        return self._write(self._fence(run) | {"cancel_requested": False}, waiting)

    # What the sweep asks

    def take_overdue(self, *, limit: int) -> list[Job]:
        """Jobs whose message may be lost or whose worker may be dead. Each is looked at again later,
        ever more rarely, so that a long queue is not sent anew every minute."""
        overdue = {
            "status": {"$in": [JobStatus.PENDING, JobStatus.PROCESSING]},
            "$or": [{"paused": False}, {"cancel_requested": True}],
            "$expr": {"$lt": ["$resend_at", "$$NOW"]},
        }
        found = list(self._jobs.find(overdue, LIST_PROJECTION).sort("resend_at", 1).limit(limit))
        waited = {"$max": [int(self._timing.resend_seconds * 1000), {"$subtract": ["$$NOW", "$updated_at"]}]}
        later = {"resend_at": {"$add": ["$$NOW", {"$min": [waited, 3_600_000]}]}}
        ids = [document["_id"] for document in found]
        self._jobs.update_many({"_id": {"$in": ids}} | overdue, [{"$set": later}])
        return [Job.from_document(document) for document in found]

    def waiting_by_type(self) -> dict[str, int]:
        """Jobs that have waited for a worker longer than a message takes."""
        grouped = self._jobs.aggregate(
            [
                {"$match": {"status": JobStatus.PENDING} | self._forgotten()},
                {"$group": {"_id": "$job_type", "count": {"$sum": 1}}},
            ]
        )
        return {row["_id"]: row["count"] for row in grouped}

    def bring_forward(self, job_type: str) -> None:
        """The queue has lost messages of this type: the next look at its jobs is now."""
        waiting = {"job_type": job_type, "status": JobStatus.PENDING} | self._forgotten()
        self._jobs.update_many(waiting, [{"$set": {"resend_at": "$$NOW"}}])

    def _forgotten(self) -> Document:
        quiet = {"$lt": ["$updated_at", after(-self._timing.resend_seconds)]}
        due = {"$lte": [{"$ifNull": ["$not_before", "$$NOW"]}, "$$NOW"]}
        return {"paused": False, "cancel_requested": False, "$expr": {"$and": [quiet, due]}}

    def expired(self, *, limit: int) -> list[Job]:
        due = {"expires_at": {"$type": "date"}, "$expr": {"$lt": ["$expires_at", "$$NOW"]}}
        return [Job.from_document(document) for document in self._jobs.find(due).limit(limit)]

    # What webhooks ask

    def with_outbox(self, *, older_seconds: float, limit: int) -> list[Job]:
        """Jobs with an event that nobody has published yet."""
        old = {
            "outbox.at": {"$type": "date"},
            "$expr": {"$lt": [{"$min": "$outbox.at"}, after(-older_seconds)]},
        }
        return [Job.from_document(document) for document in self._jobs.find(old, {"logs": 0}).limit(limit)]

    def clear_outbox(self, job_id: str, numbers: list[int]) -> None:
        """No change that a user could see: the version stays."""
        self._jobs.update_one({"_id": job_id}, [{"$set": {"outbox": outbox.without(numbers)}}])

    def disable_webhook(self, query: Document) -> None:
        self._jobs.update_many(query, [{"$set": {"webhook.disabled_at": "$$NOW"}}])

    def now(self) -> datetime:
        """The database's clock."""
        hello = self._jobs.database.command("hello", codec_options=self._jobs.codec_options)
        answer: datetime = hello["localTime"]
        return answer

    # Shared by all of the above

    def _one(self, query: Document) -> Job | None:
        document = self._jobs.find_one(query)
        return Job.from_document(document) if document else None

    def _write(self, query: Document, values: Document) -> bool:
        """One fenced update; False says that the job is no longer what the caller believed."""
        return self._jobs.update_one(query, stamped(values)).matched_count == 1

    def _with_logs(self, lines: Sequence[Document]) -> Document:
        return with_logs(lines, keep=self._timing.log_lines)


def _also(prefixes: Sequence[str]) -> Document:
    """Beside those of earlier runs: what a run left in the cache goes with its job, however it ended."""
    return {"$setUnion": [{"$ifNull": ["$cache_prefixes", []]}, {"$literal": list(prefixes)}]}
