"""Every query on cached results that removed jobs have used: not needed, unless another job has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection
from pymongo.database import Database

from common.jobs.lifecycle import JobStatus

Document = dict[str, Any]


class CacheMarks:
    def __init__(self, database: Database[Document]) -> None:
        self._marks: Collection[Document] = database["cache_marks"]
        self._jobs: Collection[Document] = database["jobs"]

    def release(self, prefixes: Iterable[str]) -> None:
        """Before the job is removed, so that nothing is forgotten should we die in between."""
        updates = [UpdateOne({"_id": prefix}, {"$setOnInsert": {}}, upsert=True) for prefix in prefixes]
        if updates:
            self._marks.bulk_write(updates, ordered=False)

    def released(self, *, limit: int) -> list[str]:
        return [item["_id"] for item in self._marks.find().limit(limit)]

    def is_used(self, prefix: str) -> bool:
        return self._jobs.find_one({"cache_prefixes": prefix}, {"_id": 1}) is not None

    def is_quiet(self) -> bool:
        """While a job runs, it may be reading from any cache without having said so yet."""
        return self._jobs.find_one({"status": JobStatus.PROCESSING}, {"_id": 1}) is None

    def forget(self, prefix: str) -> None:
        self._marks.delete_one({"_id": prefix})
