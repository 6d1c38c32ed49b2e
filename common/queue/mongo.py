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
from pymongo.errors import BulkWriteError, DuplicateKeyError, PyMongoError

from common import logs
from common.errors import Unavailable
from common.jobs.database import OUTAGES, Document
from common.jobs.together import Together
from common.queue.base import Delivery, Message, dead_letters

DUPLICATE_KEY = 11000
WATCH_SECONDS = 1.0
LOOK_AT_ALL_SECONDS = 0.25  # how late a message may be seen that was given back or delayed
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
        self._send_together = Together(self._send_all)
        self._visibility_seconds = visibility_seconds
        self._max_deliveries = max_deliveries
        self._poll_seconds = poll_seconds
        self._last_user: dict[str, str] = {}  # whose turn it was, by queue
        self._filled: set[str] = set()  # queues that may have something
        self._look_at_all_at = 0.0
        self._watched: set[str] = set()
        self._news = threading.Event()
        self._is_waiting = threading.Event()
        self._watcher: threading.Thread | None = None
        self._closed = threading.Event()

    @_outages()
    def send(self, messages: Sequence[Message]) -> None:
        """A second message for the same job replaces the first instead of standing beside it."""
        if messages:
            self._send_together(messages)

    def _send_all(self, sent: Sequence[Sequence[Message]]) -> dict[int, Exception]:
        messages = [message for some in sent for message in some]
        now = self._now() if any(message.delay_seconds for message in messages) else None
        documents = [self._document(message, now) for message in messages]
        try:
            if len(documents) == 1:
                self._messages.insert_one(documents[0])
            else:
                self._messages.insert_many(documents, ordered=False)
        except DuplicateKeyError:
            self._messages.replace_one({"_id": documents[0]["_id"]}, documents[0], upsert=True)
        except BulkWriteError as error:
            self._replace_known(documents, error)
        return {}

    @_outages()
    def receive(self, queues: Sequence[str], *, limit: int, wait_seconds: float) -> list[Delivery]:
        self._watch(queues)
        deadline = time.monotonic() + wait_seconds
        while True:
            self._news.clear()
            taken = self._take(queues, limit)
            left = deadline - time.monotonic()
            if taken or left <= 0 or self._closed.is_set():
                return taken
            self._is_waiting.set()
            self._news.wait(min(self._poll_seconds, left))  # polls, should the change stream miss one
            self._is_waiting.clear()

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
        """Most queues are empty most of the time: looks at those that have or had something, and now and
        then at all of them, for what was delayed or given back."""
        if time.monotonic() >= self._look_at_all_at:
            self._filled.update(self._messages.distinct("queue", {"queue": {"$in": list(queues)}}))
            self._look_at_all_at = time.monotonic() + min(self._poll_seconds, LOOK_AT_ALL_SECONDS)
        for queue in queues:
            if queue not in self._filled:
                continue
            self._filled.discard(queue)  # before the look: what arrives meanwhile is told of again
            if taken := self._take_from(queue, limit):
                self._filled.add(queue)
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
        while ids := [
            item["_id"] for item in self._messages.find(ready, {"_id": 1}).sort(order).limit(limit)
        ]:
            if taken := self._take_these(ids, ready, order):
                return taken  # else another receiver was faster, and there may be more
        return []

    def _take_these(self, ids: list[str], ready: Document, order: list[tuple[str, int]]) -> list[Delivery]:
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

    def _watch(self, queues: Sequence[str]) -> None:
        """Only the queues that this receiver asks for wake it up."""
        self._watched.update(queues)
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._listen, name="queue-watcher", daemon=True)
            self._watcher.start()

    def _listen(self) -> None:
        """One change stream per process tells of new messages, to those who wait for one."""
        while not self._closed.is_set():
            try:
                self._follow(sorted(self._watched))
            except PyMongoError as error:
                logs.warning("change stream interrupted", error=type(error).__name__)
                self._closed.wait(self._poll_seconds)

    def _follow(self, queues: list[str]) -> None:
        """Speaks to the server itself: a whole answer is one piece of news, and none is asked for while
        the receiver has enough to do."""
        database, name = self._messages.database, self._messages.name
        inserts = {"operationType": {"$in": ["insert", "replace"]}, "fullDocument.queue": {"$in": queues}}
        pipeline = [{"$changeStream": {}}, {"$match": inserts}, {"$project": {"fullDocument.queue": 1}}]
        with database.client.start_session() as session:
            answer = database.command("aggregate", name, pipeline=pipeline, cursor={}, session=session)
            self._look_at_all_at = 0.0  # of what came before, nothing was heard
            self._news.set()
            while not self._closed.is_set() and len(self._watched) == len(queues):
                if not self._is_waiting.wait(WATCH_SECONDS):
                    continue
                answer = database.command(
                    "getMore", answer["cursor"]["id"], collection=name,
                    maxTimeMS=int(WATCH_SECONDS * 1000), session=session,
                )  # fmt: skip
                if news := {item["fullDocument"]["queue"] for item in answer["cursor"]["nextBatch"]}:
                    self._filled.update(news)
                    self._news.set()
