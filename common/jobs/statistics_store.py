"""Every query behind the statistics: covered index scans, or a bounded number of documents."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from pymongo import ReplaceOne
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from common.jobs.database import Document

COUNTS = "counts"
MOST_TRACKS = 200
MOST_OPEN_BATCHES = 10_000
MOST_OF_A_USER = 5_000  # jobs of one caller that are looked at; newest first


class StatisticsStore:
    def __init__(self, database: Database[Document]) -> None:
        self._jobs: Collection[Document] = database["jobs"]
        self._batches: Collection[Document] = database["batches"]
        self._kept: Collection[Document] = database["statistics"]

    def size(self) -> int:
        return self._jobs.estimated_document_count()

    def count_all(self) -> Document:
        """Jobs by type and state and by track: two scans of indexes, no document is read."""
        by_type = {"_id": {"job_type": "$job_type", "status": "$status"}, "count": {"$sum": 1}}
        by_track = {"_id": {"track": "$parameters.track", "status": "$status"}, "count": {"$sum": 1}}
        has_track = {"$match": {"parameters.track": {"$type": "string"}}}
        return {
            "jobs": _rows(self._jobs.aggregate([{"$group": by_type}], hint="by_type")),
            "tracks": _rows(self._jobs.aggregate([has_track, {"$group": by_track}], hint="by_track")),
        }

    def count_of_user(self, user_id: str) -> Document:
        newest: list[Document] = [
            {"$match": {"user_id": user_id}}, {"$sort": {"_id": -1}}, {"$limit": MOST_OF_A_USER},
        ]  # fmt: skip
        group = {"job_type": "$job_type", "status": "$status", "track": "$parameters.track"}
        rows = _rows(self._jobs.aggregate([*newest, {"$group": {"_id": group, "count": {"$sum": 1}}}]))
        return {"jobs": rows, "tracks": [row for row in rows if isinstance(row.get("track"), str)]}

    def ended_in(self, hour: datetime) -> list[Document]:
        """What ended within an hour, by type and state, from the index alone."""
        until = hour + timedelta(hours=1)
        within = {"completed_at": {"$gte": hour, "$lt": until, "$type": "date"}}
        took = {"$subtract": ["$completed_at", "$processing_started_at"]}
        group = {
            "_id": {"job_type": "$job_type", "status": "$status"},
            "count": {"$sum": 1},
            "milliseconds": {"$sum": {"$max": [{"$ifNull": [took, 0]}, 0]}},
        }
        found = self._jobs.aggregate([{"$match": within}, {"$group": group}], hint="ended")
        return [row["_id"] | {"count": row["count"], "seconds": row["milliseconds"] / 1000} for row in found]

    def batches(self, user_id: str | None) -> tuple[int, int]:
        """All and open ones."""
        mine: Document = {} if user_id is None else {"user_id": user_id}
        is_open = mine | {"check_at": {"$type": "date"}}
        total = (
            self._batches.count_documents(mine, limit=MOST_OF_A_USER)
            if mine
            else self._batches.estimated_document_count()
        )
        return total, self._batches.count_documents(is_open, limit=MOST_OPEN_BATCHES)

    # What is kept

    def take_turn(self, now: datetime, *, next_turn: datetime) -> bool:
        """Only one sweep counts at a time, and not more often than it can bear."""
        due = {"_id": COUNTS, "$or": [{"next_turn": None}, {"next_turn": {"$lte": now}}]}
        try:
            self._kept.update_one(due, {"$set": {"next_turn": next_turn}}, upsert=True)
        except DuplicateKeyError:  # it is there, and it is not due
            return False
        return True

    def keep_counts(self, counts: Document, *, at: datetime, next_turn: datetime) -> None:
        values = counts | {"at": at, "next_turn": next_turn}
        self._kept.update_one({"_id": COUNTS}, {"$set": values}, upsert=True)

    def kept_counts(self) -> Document | None:
        found = self._kept.find_one({"_id": COUNTS})
        return found if found and "jobs" in found else None

    def keep_hours(self, hours: dict[datetime, list[Document]]) -> None:
        writes = [
            ReplaceOne({"_id": hour.isoformat()}, {"hour": hour, "rows": rows}, upsert=True)
            for hour, rows in hours.items()
        ]
        if writes:
            self._kept.bulk_write(writes, ordered=False)

    def newest_hour(self) -> datetime | None:
        found = self._kept.find_one({"hour": {"$type": "date"}}, {"hour": 1}, sort=[("hour", -1)])
        return found["hour"] if found else None

    def hours_since(self, since: datetime) -> list[Document]:
        return list(self._kept.find({"hour": {"$gte": since}}).sort("hour", 1))


def _rows(found: Any) -> list[Document]:
    return [row["_id"] | {"count": row["count"]} for row in found]
