"""Queries that only the metrics ask; each reads an index, or a bounded number of documents through one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pymongo.collection import Collection
from pymongo.database import Database

Document = dict[str, Any]


class MetricsStore:
    def __init__(self, database: Database[Document]) -> None:
        self._jobs: Collection[Document] = database["jobs"]

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
