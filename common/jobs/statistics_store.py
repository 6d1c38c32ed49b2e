"""Every query behind the statistics. Each reads an index or a bounded number of documents; the snapshot that
holds their answers is one document, so that looking at it costs the same with a million jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pymongo.command_cursor import CommandCursor
from pymongo.database import Database

from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus

RECENT = 200  # completed jobs of one type from which durations are told
TRACKS = 100
MOST_OF_A_USER = 5_000  # jobs of one caller that are looked at, newest first: nobody else counts them


class StatisticsStore:
    def __init__(self, database: Database[Document]) -> None:
        self._jobs = database["jobs"]
        self._batches = database["batches"]
        self._snapshots = database["statistics"]

    def by_type_and_status(self, user_id: str | None) -> list[tuple[str, str, int]]:
        group = {"$group": {"_id": {"type": "$job_type", "status": "$status"}, "count": {"$sum": 1}}}
        rows = self._aggregate([group], user_id, hint="by_type")
        return [(row["_id"]["type"], row["_id"]["status"], row["count"]) for row in rows]

    def finished_by_hour(self, since: datetime, user_id: str | None) -> list[Document]:
        """Rows of hour, status, count and mean seconds of work; hours without an end are missing."""
        hour = {"$dateTrunc": {"date": "$completed_at", "unit": "hour"}}
        worked = {"$subtract": ["$completed_at", "$processing_started_at"]}  # null for what never started
        pipeline: list[Document] = [
            {"$match": {"completed_at": {"$gte": since}}},
            {
                "$group": {
                    "_id": {"hour": hour, "status": "$status"},
                    "count": {"$sum": 1},
                    "milliseconds": {"$avg": worked},
                }
            },
            {"$sort": {"_id.hour": 1}},
        ]
        return list(self._aggregate(pipeline, user_id, hint="by_end"))

    def durations(self, job_type: str, user_id: str | None) -> list[float]:
        """Seconds from start to end of the newest completed jobs."""
        wanted = {"job_type": job_type, "status": "completed"} | _owned(user_id)
        times = {"processing_started_at": 1, "completed_at": 1}
        found = self._jobs.find(wanted, times).sort("_id", -1).limit(RECENT)
        return [(item["completed_at"] - item["processing_started_at"]).total_seconds() for item in found]

    def oldest_waiting(self, user_id: str | None) -> datetime | None:
        wanted = {"status": "pending"} | _owned(user_id)
        found = next(self._jobs.find(wanted, {"created_at": 1}).sort("_id", 1).limit(1), None)
        return found["created_at"] if found else None

    def tracks(self, user_id: str | None) -> list[Document]:
        """Jobs of sessions by track, as the first dashboard showed them."""
        has_completed = {"$cond": [{"$eq": ["$status", "completed"]}, 1, 0]}
        has_failed = {"$cond": [{"$eq": ["$status", "failed"]}, 1, 0]}
        group: dict[str, Any] = {
            "_id": "$parameters.track",
            "count": {"$sum": 1},
            "completed": {"$sum": has_completed},
            "failed": {"$sum": has_failed},
        }
        match = {"parameters.track": {"$type": "string"}}
        pipeline: list[Document] = [
            {"$match": match}, {"$group": group}, {"$sort": {"count": -1, "_id": 1}}, {"$limit": TRACKS},
        ]  # fmt: skip
        return list(self._aggregate(pipeline, user_id, hint="by_track"))

    def batches(self, user_id: str | None) -> tuple[int, int]:
        """All of them, and those that have not ended."""
        total = (
            self._batches.count_documents({"user_id": user_id})
            if user_id is not None
            else self._batches.estimated_document_count()
        )
        active = self._batches.count_documents({"check_at": {"$type": "date"}} | _owned(user_id))
        return total, active

    def _aggregate(
        self, pipeline: list[Document], user_id: str | None, *, hint: str
    ) -> CommandCursor[Document]:
        """Over an index that covers it, or over the newest jobs of one user."""
        if user_id is None:
            return self._jobs.aggregate(pipeline, hint=hint)
        mine = {"user_id": user_id, "status": {"$in": list(JobStatus)}}  # each state is sorted in its index
        newest: list[Document] = [{"$match": mine}, {"$sort": {"_id": -1}}, {"$limit": MOST_OF_A_USER}]
        return self._jobs.aggregate([*newest, *pipeline], hint="by_user")

    def snapshot(self, name: str) -> Document | None:
        return self._snapshots.find_one({"_id": name})

    def keep_snapshot(self, name: str, values: Document) -> None:
        self._snapshots.replace_one({"_id": name}, values, upsert=True)


def _owned(user_id: str | None) -> Document:
    return {} if user_id is None else {"user_id": user_id}
