"""Every query on deliveries. A delivery's id is the id of its message, so the same event is one delivery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pymongo import ReturnDocument, UpdateOne
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import BulkWriteError

from common.webhooks.delivery import DeliveryState

Document = dict[str, Any]
DUPLICATE_KEY = 11_000
RESEND_SECONDS = 30.0  # after a message should have arrived, until the sweep sends another
MOST_LOGGED = 50  # attempts kept in the log of one delivery


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One event on its way to one receiver."""

    delivery_id: str
    event_type: str
    job_id: str | None
    batch_id: str | None  # of a batch's own event; a member's event names its job
    user_id: str
    state: DeliveryState
    reason: str | None
    event: Document = field(repr=False)
    texts: dict[str, str]  # fields of the results, and the keys of the objects that hold them
    created_at: datetime
    tries: int  # since it was created or sent again
    max_tries: int
    turn: int  # the fence: each attempt has its own number
    not_before: datetime
    attempts: tuple[Document, ...] = ()


def new_document(
    *,
    delivery_id: str,
    event: Document,
    user_id: str,
    max_tries: int,
    created_at: datetime,
    expires_at: datetime,
    job_id: str | None = None,
    batch_id: str | None = None,
    texts: dict[str, str] | None = None,
) -> Document:
    return {
        "_id": delivery_id,
        "event_type": event["type"],
        "job_id": job_id,
        "batch_id": batch_id,
        "user_id": user_id,
        "state": DeliveryState.PENDING.value,
        "reason": None,
        "event": event,
        "texts": texts or {},
        "created_at": created_at,
        "expires_at": expires_at,
        "tries": 0,
        "max_tries": max_tries,
        "turn": 0,
        "attempts": [],
    }


class DeliveryStore:
    def __init__(self, database: Database[Document]) -> None:
        self._deliveries: Collection[Document] = database["deliveries"]

    def add(self, documents: Sequence[Document]) -> None:
        """What is already there stays as it is: an event is created once, however often it is announced."""
        now = {"not_before": "$$NOW", "resend_at": _after(RESEND_SECONDS), "busy_until": None}
        updates = [UpdateOne({"_id": item["_id"]}, [_if_new(item, now)], upsert=True) for item in documents]
        if not updates:
            return
        try:
            self._deliveries.bulk_write(updates, ordered=False)
        except BulkWriteError as error:
            if any(item["code"] != DUPLICATE_KEY for item in error.details["writeErrors"]):
                raise

    def get(self, delivery_id: str) -> Delivery | None:
        return _delivery(self._deliveries.find_one({"_id": delivery_id}))

    def of_job(self, job_id: str, *, limit: int, skip: int) -> list[Delivery]:
        """Newest first."""
        found = self._deliveries.find({"job_id": job_id}).sort([("created_at", -1), ("_id", -1)])
        return [item for document in found.skip(skip).limit(limit) if (item := _delivery(document))]

    def count_of_job(self, job_id: str, *, at_most: int) -> int:
        return self._deliveries.count_documents({"job_id": job_id}, limit=at_most)

    def take(self, delivery_id: str, *, busy_seconds: float) -> Delivery | None:
        """For the one who may make the next attempt now; None when it is not due, in other hands or over."""
        due = {
            "_id": delivery_id,
            "state": DeliveryState.PENDING,
            "$expr": {
                "$and": [
                    {"$lte": ["$not_before", "$$NOW"]},
                    {"$lte": [{"$ifNull": ["$busy_until", "$not_before"]}, "$$NOW"]},
                ]
            },
        }
        taken = {
            "tries": {"$add": ["$tries", 1]},
            "turn": {"$add": ["$turn", 1]},
            "busy_until": _after(busy_seconds),
            "resend_at": _after(busy_seconds + RESEND_SECONDS),
        }
        return _delivery(
            self._deliveries.find_one_and_update(due, [{"$set": taken}], return_document=ReturnDocument.AFTER)
        )

    def settle(
        self, delivery: Delivery, *, state: DeliveryState, reason: str, attempt: Document, wait: float | None
    ) -> bool:
        """Writes how an attempt ended; False when another attempt has begun since."""
        line = {"$mergeObjects": [{"ended_at": "$$NOW", "number": "$turn"}, {"$literal": attempt}]}
        values: Document = {
            "state": state.value,
            "reason": {"$literal": reason},
            "busy_until": None,
            "attempts": {"$slice": [{"$concatArrays": ["$attempts", [line]]}, -MOST_LOGGED]},
            "not_before": "$not_before" if wait is None else _after(wait),
            "resend_at": None if wait is None else _after(wait),
        }
        mine = {"_id": delivery.delivery_id, "turn": delivery.turn, "state": DeliveryState.PENDING}
        return self._deliveries.update_one(mine, [{"$set": values}]).matched_count == 1

    def send_again(self, delivery_id: str) -> None:
        """From the start of the schedule, with the same id."""
        fresh = {
            "state": DeliveryState.PENDING.value,
            "tries": 0,
            "busy_until": None,
            "not_before": "$$NOW",
            "resend_at": _after(RESEND_SECONDS),
        }
        self._deliveries.update_one({"_id": delivery_id}, [{"$set": fresh}])

    def take_due(self, *, limit: int) -> list[Delivery]:
        """Those whose next attempt is due and whose message was never sent, or is lost."""
        due = {"state": DeliveryState.PENDING, "$expr": {"$lte": ["$resend_at", "$$NOW"]}}
        found = list(self._deliveries.find(due).sort("resend_at", 1).limit(limit))
        ids = [document["_id"] for document in found]
        self._deliveries.update_many(
            {"_id": {"$in": ids}} | due, [{"$set": {"resend_at": _after(2 * RESEND_SECONDS)}}]
        )
        return [item for document in found if (item := _delivery(document))]

    def remove_of_jobs(self, job_ids: Sequence[str]) -> None:
        self._deliveries.delete_many({"job_id": {"$in": list(job_ids)}})

    def remove_of_batch(self, batch_id: str) -> None:
        self._deliveries.delete_many({"batch_id": batch_id})

    def counts(self) -> list[tuple[str, str, int]]:
        """Event type, state and how many, from one covered index scan."""
        grouped = self._deliveries.aggregate(
            [
                {"$group": {"_id": {"event": "$event_type", "state": "$state"}, "count": {"$sum": 1}}},
                {"$sort": {"_id": 1}},
            ],
            hint="by_result",
        )
        return [(row["_id"]["event"], row["_id"]["state"], row["count"]) for row in grouped]


def _after(seconds: float) -> Document:
    return {"$add": ["$$NOW", int(seconds * 1000)]}


def _if_new(item: Document, now: Document) -> Document:
    """A stage that fills an inserted document and leaves a known one alone."""
    literal = {name: {"$literal": value} for name, value in item.items() if name != "_id"}
    is_new = {"$eq": [{"$type": "$event_type"}, "missing"]}
    return {"$replaceWith": {"$cond": [is_new, {"$mergeObjects": ["$$ROOT", literal | now]}, "$$ROOT"]}}


_FIELDS = (
    *("event_type", "job_id", "batch_id", "user_id", "reason", "event", "texts", "created_at", "tries"),
    *("max_tries", "turn", "not_before"),
)


def _delivery(document: Document | None) -> Delivery | None:
    if document is None:
        return None
    return Delivery(
        delivery_id=document["_id"],
        state=DeliveryState(document["state"]),
        attempts=tuple(document["attempts"]),
        **{name: document[name] for name in _FIELDS},
    )
