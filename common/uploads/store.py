"""Every query on uploads: what was announced, by whom, and until when it is kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo.database import Database

from common.jobs.database import Document

USABLE = {"retired": {"$ne": True}}  # what is being removed is as good as gone


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file that may be on its way, may have arrived, or may never come; the object store knows."""

    upload_id: str
    user_id: str
    key: str
    size: int
    content_type: str
    expires_at: datetime | None  # None: kept for ever
    idempotency: Document | None = None


class UploadStore:
    def __init__(self, database: Database[Document]) -> None:
        self._uploads = database["uploads"]

    def insert(self, upload: Upload, *, created_at: datetime) -> None:
        values: dict[str, Any] = vars(upload) | {"_id": upload.upload_id, "created_at": created_at}
        self._uploads.insert_one(values)

    def by_idempotency_key(self, key: str) -> Upload | None:
        found = self._uploads.find_one({"idempotency.key": {"$eq": key, "$type": "string"}})
        return _upload(found) if found else None

    def forget_key(self, upload_id: str) -> None:
        self._uploads.update_one({"_id": upload_id}, {"$set": {"idempotency": None}})

    def owned(self, upload_ids: Collection[str], user_id: str) -> dict[str, Upload]:
        """Those of the ids that exist and belong to this user."""
        found = self._uploads.find({"_id": {"$in": list(upload_ids)}, "user_id": user_id} | USABLE)
        return {item["_id"]: _upload(item) for item in found}

    def keep(self, upload_ids: Collection[str], *, until: datetime | None) -> int:
        """Jobs need these from now on; says how many are still there."""
        longer = {"$cond": [{"$eq": ["$expires_at", None]}, None, {"$max": ["$expires_at", until]}]}
        changed = [{"$set": {"expires_at": longer if until else None}}]
        return self._uploads.update_many({"_id": {"$in": list(upload_ids)}} | USABLE, changed).matched_count

    def expired(self, *, limit: int) -> list[Upload]:
        due = {"expires_at": {"$type": "date"}, "$expr": {"$lt": ["$expires_at", "$$NOW"]}}
        return [_upload(item) for item in self._uploads.find(due).limit(limit)]

    def retire(self, upload: Upload) -> bool:
        """From here on no job can use it, unless one has begun to meanwhile."""
        unchanged = {"_id": upload.upload_id, "expires_at": upload.expires_at}
        gone = {"$set": {"retired": True, "idempotency": None}}
        return self._uploads.update_one(unchanged, gone).matched_count == 1

    def delete(self, upload_id: str) -> None:
        """Of an upload that is retired and whose file is gone."""
        self._uploads.delete_one({"_id": upload_id})


def _upload(document: Document) -> Upload:
    return Upload(**{name: document[name] for name in Upload.__dataclass_fields__})
