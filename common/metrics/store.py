"""Every query behind the metrics; each one reads an index, or a bounded number of documents through one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pymongo.collection import Collection
from pymongo.database import Database

Document = dict[str, Any]
RECENT = 200  # completed jobs of one type from which durations are told


class MetricsStore:
    def __init__(self, database: Database[Document]) -> None:
        self._jobs: Collection[Document] = database["jobs"]

    def jobs(self) -> list[tuple[str, str, int]]:
        """Type, state and how many, from one covered index scan."""
        group = {"_id": {"type": "$job_type", "status": "$status"}, "count": {"$sum": 1}}
        rows = self._jobs.aggregate([{"$group": group}], hint="by_type")
        return [(row["_id"]["type"], row["_id"]["status"], row["count"]) for row in rows]

    def durations(self, job_type: str) -> list[float]:
        """Seconds from start to end of the newest completed jobs."""
        wanted = {"job_type": job_type, "status": "completed"}
        times = {"processing_started_at": 1, "completed_at": 1}
        found = self._jobs.find(wanted, times).sort("_id", -1).limit(RECENT)
        return [(item["completed_at"] - item["processing_started_at"]).total_seconds() for item in found]

    def oldest_waiting(self, job_types: Iterable[str]) -> dict[str, datetime]:
        """When the job that has waited longest was created, by type."""
        found = {}
        for job_type in job_types:
            wanted = {"job_type": job_type, "status": "pending"}
            for item in self._jobs.find(wanted, {"created_at": 1}).sort("_id", 1).limit(1):
                found[job_type] = item["created_at"]
        return found

    def refusals(self) -> list[tuple[str, int]]:
        """Jobs that ended because the outbound guard refused their source, by reason."""
        refused = {"$match": {"error.code": "URL_NOT_ALLOWED"}}
        group = {"$group": {"_id": "$error.details.reason", "count": {"$sum": 1}}}
        rows = self._jobs.aggregate([refused, group], hint="refused")
        return [(row["_id"] or "other", row["count"]) for row in rows]
