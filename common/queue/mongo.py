"""The queue in MongoDB: the embedded default. Wakes on a change stream instead of polling."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from pymongo import ReplaceOne, ReturnDocument, WriteConcern
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import BulkWriteError, PyMongoError

from common import logs
from common.errors import Unavailable
from common.jobs.database import OUTAGES, Document
from common.queue.base import Delivery, Message, dead_letters

DUPLICATE_KEY = 11000
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)  # past on every clock; equal times keep the order of arrival


@contextmanager
def _outages() -> Iterator[None]:
    """Around every call of the port."""
    try:
        yield
    except OUTAGES as error:
        raise Unavailable(f"The queue does not answer: {type(error).__name__}.") from error


class MongoQueue:
    """One collection for all queues. Its writes are quick rather than durable: jobs are the truth."""

    def __init__(
        self,
        database: Database[Document],
        *,
        visibility_seconds: float,
        max_deliveries: int,
        poll_seconds: float,
    ) -> None:
        quick = WriteConcern(w=1, j=False)
        self._messages: Collection[Document] = database.get_collection("messages", write_concern=quick)
        self._visibility_seconds = visibility_seconds
        self._max_deliveries = max_deliveries
        self._poll_seconds = poll_seconds
        self._last_user: dict[str, str] = {}  # whose turn it was, by queue
        self._news = threading.Event()
        self._watcher: threading.Thread | None = None
        self._closed = threading.Event()

    @_outages()
    def send(self, messages: Sequence[Message]) -> None:
        """A second message for the same job replaces the first instead of standing beside it."""
        if not messages:
            return
        now = self._now() if any(message.delay_seconds for message in messages) else None
        documents = [self._document(message, now) for message in messages]
        try:
            self._messages.insert_many(documents, ordered=False)
        except BulkWriteError as error:
            self._replace_known(documents, error)

    @_outages()
    def receive(self, queues: Sequence[str], *, limit: int, wait_seconds: float) -> list[Delivery]:
        self._watch()
        deadline = time.monotonic() + wait_seconds
        while True:
            self._news.clear()
            taken = self._take(queues, limit)
            left = deadline - time.monotonic()
            if taken or left <= 0 or self._closed.is_set():
                return taken
            self._news.wait(min(self._poll_seconds, left))  # polls, should the change stream miss one

    @_outages()
    def extend(self, deliveries: Sequence[Delivery]) -> None:
        receipts = [delivery.receipt for delivery in deliveries]
        ids = [self._id(delivery.message) for delivery in deliveries]
        hidden = {"visible_at": self._in(self._visibility_seconds)}
        self._messages.update_many({"_id": {"$in": ids}, "receipt": {"$in": receipts}}, [{"$set": hidden}])

    @_outages()
    def done(self, deliveries: Sequence[Delivery]) -> None:
        receipts = [delivery.receipt for delivery in deliveries]
        ids = [self._id(delivery.message) for delivery in deliveries]
        self._messages.delete_many({"_id": {"$in": ids}, "receipt": {"$in": receipts}})

    @_outages()
    def retry_later(self, delivery: Delivery, *, delay_seconds: float) -> None:
        mine = {"_id": self._id(delivery.message), "receipt": delivery.receipt}
        self._messages.update_one(mine, [{"$set": {"visible_at": self._in(delay_seconds), "receipt": None}}])

    @_outages()
    def depth(self, queues: Sequence[str]) -> dict[str, int]:
        grouped = self._messages.aggregate(
            [
                {"$match": {"queue": {"$in": list(queues)}}},
                {"$group": {"_id": "$queue", "count": {"$sum": 1}}},
            ]
        )
        return dict.fromkeys(queues, 0) | {row["_id"]: row["count"] for row in grouped}

    @_outages()
    def check(self) -> None:
        self._messages.database.command("ping")

    def wake(self) -> None:
        self._closed.set()
        self._news.set()

    def _take(self, queues: Sequence[str], limit: int) -> list[Delivery]:
        """Most queues are empty most of the time, and one look at the index says which."""
        filled = set(self._messages.distinct("queue", {"queue": {"$in": list(queues)}}))
        for queue in queues:
            if queue in filled and (taken := self._take_from(queue, limit)):
                return taken
        return []

    def _take_from(self, queue: str, limit: int) -> list[Delivery]:
        """The next user's oldest messages: who has one job waits for one of the others', not for all."""
        last = self._last_user.get(queue, "")
        taken = self._take_of({"$gt": last}, queue, limit) if last else []
        taken = taken or self._take_of({"$gte": ""}, queue, limit)
        if taken:
            self._last_user[queue] = taken[-1].message.user_id
        return taken

    def _take_of(self, users: Document, queue: str, limit: int) -> list[Delivery]:
        ready = {"queue": queue, "user_id": users, "$expr": {"$lte": ["$visible_at", "$$NOW"]}}
        order = [("user_id", 1), ("visible_at", 1)]
        if limit == 1:
            document = self._messages.find_one_and_update(
                ready, self._hiding(secrets.token_hex(8)), sort=order, return_document=ReturnDocument.AFTER
            )
            return self._deliveries([document] if document else [])
        ids = [item["_id"] for item in self._messages.find(ready, {"_id": 1}).sort(order).limit(limit)]
        if not ids:
            return []
        receipt = secrets.token_hex(8)
        if len(ids) == 1:
            document = self._messages.find_one_and_update(
                {"_id": ids[0]} | ready, self._hiding(receipt), return_document=ReturnDocument.AFTER
            )
            return self._deliveries([document] if document else [])
        self._messages.update_many({"_id": {"$in": ids}} | ready, self._hiding(receipt))
        return self._deliveries(self._messages.find({"_id": {"$in": ids}, "receipt": receipt}).sort(order))

    def _hiding(self, receipt: str) -> list[Document]:
        hidden = {
            "visible_at": self._in(self._visibility_seconds),
            "receipt": receipt,
            "deliveries": {"$add": ["$deliveries", 1]},
        }
        return [{"$set": hidden}]

    def _deliveries(self, documents: Any) -> list[Delivery]:
        """What was delivered too often goes to the dead letters, and only there."""
        found = []
        for document in documents:
            message = Message(
                queue=document["queue"], subject_id=document["subject_id"], user_id=document["user_id"]
            )
            if document["deliveries"] > self._max_deliveries:
                dead = {"queue": dead_letters(message.queue), "receipt": None}
                self._messages.update_one({"_id": document["_id"]}, {"$set": dead})
                logs.warning("message given up", queue=message.queue, subject_id=message.subject_id)
                continue
            found.append(
                Delivery(message=message, receipt=document["receipt"], deliveries=document["deliveries"])
            )
        return found

    def _replace_known(self, documents: list[Document], error: BulkWriteError) -> None:
        failed = error.details["writeErrors"]
        if any(item["code"] != DUPLICATE_KEY for item in failed):
            raise error
        again = [documents[item["index"]] for item in failed]
        self._messages.bulk_write([ReplaceOne({"_id": item["_id"]}, item, upsert=True) for item in again])

    def _document(self, message: Message, now: datetime | None) -> Document:
        visible_at = (
            now + timedelta(seconds=message.delay_seconds) if now and message.delay_seconds else AT_ONCE
        )
        return {
            "_id": self._id(message),
            "queue": message.queue,
            "subject_id": message.subject_id,
            "user_id": message.user_id,
            "visible_at": visible_at,
            "receipt": None,
            "deliveries": 0,
        }

    @staticmethod
    def _id(message: Message) -> str:
        return f"{message.queue}:{message.subject_id}"

    @staticmethod
    def _in(seconds: float) -> Document:
        return {"$add": ["$$NOW", int(seconds * 1000)]}

    def _now(self) -> datetime:
        local_time: datetime = self._messages.database.command("hello")["localTime"]
        return local_time

    def _watch(self) -> None:
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._listen, name="queue-watcher", daemon=True)
            self._watcher.start()

    def _listen(self) -> None:
        """One change stream per process tells of every new message."""
        inserts: list[Document] = [
            {"$match": {"operationType": {"$in": ["insert", "replace"]}}},
            {"$project": {"_id": 1}},
        ]
        while not self._closed.is_set():
            try:
                with self._messages.watch(inserts, max_await_time_ms=1000) as stream:
                    while stream.alive and not self._closed.is_set():
                        if stream.try_next() is not None:
                            self._news.set()
            except PyMongoError as error:
                logs.warning("change stream interrupted", error=type(error).__name__)
                self._closed.wait(self._poll_seconds)
