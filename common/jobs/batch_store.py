"""Every query on batches. Counts are read from the members, so they cannot drift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymongo import ReturnDocument
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.read_concern import ReadConcern

from common.jobs.database import Document
from common.jobs.lifecycle import ACTIVE, JobStatus
from common.jobs.model import Batch, Job
from common.jobs.updates import after, stamped
from common.webhooks import outbox
from common.webhooks.events import EventType

Counts = dict[str, int]

# What may be long and no archive needs: a batch may have ten thousand members.
_LONG = (
    "logs", "checkpoint", "words", "results.page_texts", "results.assets", "results.llm_requests",
    "parameters.text", "parameters.template_content", "parameters.video_transcript",
)  # fmt: skip


class BatchStore:
    """Reads and writes batches and what concerns all members of one."""

    def __init__(self, database: Database[Document], *, check_seconds: float) -> None:
        self._database = database
        self._batches: Collection[Document] = database["batches"]
        self._jobs: Collection[Document] = database["jobs"]
        self._check_seconds = check_seconds

    def insert(self, batch: Document, jobs: Sequence[Document]) -> None:
        """All or nothing: a crash in between leaves neither the batch nor any member."""

        def write(session: Any) -> None:
            self._batches.insert_one(batch, session=session)
            if jobs:
                self._jobs.insert_many(jobs, session=session)

        with self._database.client.start_session() as session:
            session.with_transaction(
                write,
                read_concern=ReadConcern("local"),
                write_concern=self._batches.write_concern,
            )

    def by_idempotency_key(self, key: str) -> Batch | None:
        return self._read({"idempotency.key": {"$eq": key, "$type": "string"}})

    def forget_key(self, batch_id: str) -> None:
        self._batches.update_one({"_id": batch_id}, {"$set": {"idempotency": None}})

    def get(self, batch_id: str) -> Batch | None:
        return self._read({"_id": batch_id})

    def find(self, query: Document, *, limit: int, skip: int = 0) -> list[Batch]:
        """Newest first."""
        found = list(self._batches.find(query).sort("_id", -1).skip(skip).limit(limit))
        counts = self._counts([document["_id"] for document in found])
        return [Batch.from_document(document, counts[document["_id"]]) for document in found]

    def count(self, query: Document, *, at_most: int) -> int:
        """Exact up to a bound; all batches of the store are known without counting."""
        if not query:
            return self._batches.estimated_document_count()
        return self._batches.count_documents(query, limit=at_most)

    def member_ids(self, batch_id: str) -> list[str]:
        """In the order in which they were handed in, from one moment of the index alone."""
        found = self._snapshot().find({"batch_id": batch_id}, {"_id": 1})
        return sorted(document["_id"] for document in found)

    def members(self, batch_id: str, statuses: Sequence[JobStatus]) -> list[Job]:
        """Enough of each to pack its files and name them."""
        wanted = {"batch_id": batch_id, "status": {"$in": list(statuses)}}
        found = self._jobs.find(wanted, dict.fromkeys(_LONG, 0))
        return [Job.from_document(document) for document in found]

    def has_members(self, batch_id: str) -> bool:
        return self._jobs.find_one({"batch_id": batch_id}, {"_id": 1}) is not None

    def close_if_done(self, batch_id: str) -> Batch | None:
        """The batch, for the one caller that closes it after its last member; None for all others."""
        if self._jobs.find_one({"batch_id": batch_id, "status": {"$in": list(ACTIVE)}}, {"_id": 1}):
            return None
        closed = self._change(
            {"_id": batch_id, "closed_at": None},
            {
                "closed_at": "$$NOW",
                "check_at": {"$cond": ["$delete_requested", "$check_at", None]},
                "outbox": outbox.marked(EventType.BATCH_COMPLETED),
            },
        )
        return Batch.from_document(closed, self._counts([batch_id])[batch_id]) if closed else None

    def set_active(self, batch_id: str, *, active: bool) -> None:
        self._change({"_id": batch_id}, {"is_active": active})

    def set_archived(self, batch_id: str, *, archived: bool) -> None:
        self._change({"_id": batch_id}, {"archived": archived})

    def set_archive(self, batch_id: str, archive: Document) -> None:
        self._change({"_id": batch_id}, {"archive": {"$literal": archive}})

    def delete(self, batch_id: str) -> None:
        """Of a batch whose members are gone."""
        self._batches.delete_one({"_id": batch_id})

    def look_again(self, batch_ids: Sequence[str]) -> None:
        """Before members are removed: should we die then, the sweep finds a batch that has none left."""
        self._batches.update_many(
            {"_id": {"$in": list(batch_ids)}}, [{"$set": {"check_at": self._next_check()}}]
        )

    def forget_check(self, batch_id: str) -> None:
        """Of a batch that has ended and keeps its members."""
        done = {"_id": batch_id, "closed_at": {"$type": "date"}, "delete_requested": {"$ne": True}}
        self._batches.update_one(done, {"$set": {"check_at": None}})

    def take_unclosed(self, *, limit: int) -> list[str]:
        """Batches that may have missed their end, because the worker of the last member died there."""
        due = {"check_at": {"$type": "date"}, "$expr": {"$lt": ["$check_at", "$$NOW"]}}
        ids = [item["_id"] for item in self._batches.find(due, {"_id": 1}).limit(limit)]
        self._batches.update_many({"_id": {"$in": ids}}, [{"$set": {"check_at": self._next_check()}}])
        return ids

    def with_outbox(self, *, older_seconds: float, limit: int) -> list[str]:
        """Batches whose end nobody has published yet."""
        late = {"$lt": [{"$min": "$outbox.at"}, {"$subtract": ["$$NOW", int(older_seconds * 1000)]}]}
        old = {"outbox.at": {"$type": "date"}, "$expr": late}
        return [item["_id"] for item in self._batches.find(old, {"_id": 1}).limit(limit)]

    def clear_outbox(self, batch_id: str, numbers: list[int]) -> None:
        self._batches.update_one({"_id": batch_id}, [{"$set": {"outbox": outbox.without(numbers)}}])

    def disable_webhook(self, batch_id: str, *, url: str) -> None:
        """If its receiver is the one that is gone: a member may have one of its own."""
        gone = [{"$set": {"webhook.disabled_at": "$$NOW"}}]
        self._batches.update_one({"_id": batch_id, "webhook.url": url}, gone)

    def _snapshot(self) -> Collection[Document]:
        """Reads one moment: a member that moves on while the index is read is seen once."""
        return self._jobs.with_options(read_concern=ReadConcern("snapshot"))

    def _next_check(self) -> Document:
        return after(self._check_seconds)

    def _read(self, query: Document) -> Batch | None:
        document = self._batches.find_one(query)
        return (
            Batch.from_document(document, self._counts([document["_id"]])[document["_id"]])
            if document
            else None
        )

    def _counts(self, batch_ids: Sequence[str]) -> dict[str, Counts]:
        """Members by state, from one covered index scan."""
        counts: dict[str, Counts] = {batch_id: {} for batch_id in batch_ids}
        grouped = self._snapshot().aggregate(
            [
                {"$match": {"batch_id": {"$in": list(batch_ids)}}},
                {"$group": {"_id": {"batch": "$batch_id", "status": "$status"}, "count": {"$sum": 1}}},
            ]
        )
        for row in grouped:
            counts[row["_id"]["batch"]][row["_id"]["status"]] = row["count"]
        return counts

    def _change(self, query: Document, values: Document) -> Document | None:
        return self._batches.find_one_and_update(query, stamped(values), return_document=ReturnDocument.AFTER)
