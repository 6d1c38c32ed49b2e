"""Every query on uploads. The bytes are in the object store; a document says whose they are and how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pymongo.collection import Collection
from pymongo.database import Database

from common.jobs.database import Document


@dataclass(frozen=True, kw_only=True)
class Upload:
    """One file, promised with a size and a type; `confirmed` once it has been seen in the store."""

    upload_id: str
    user_id: str
    filename: str
    size: int
    content_type: str
    created_at: datetime
    expires_at: datetime | None
    confirmed: bool
    idempotency: Document | None

    @classmethod
    def from_document(cls, document: Document) -> Upload:
        names = ("user_id", "filename", "size", "content_type", "created_at", "expires_at", "confirmed")
        known = {name: document[name] for name in names}
        return cls(upload_id=document["_id"], idempotency=document.get("idempotency"), **known)


class UploadStore:
    def __init__(self, database: Database[Document]) -> None:
        self._uploads: Collection[Document] = database["uploads"]

    def insert(self, document: Document) -> None:
        self._uploads.insert_one(document)

    def of_user(self, user_id: str, upload_ids: Sequence[str]) -> list[Upload]:
        found = self._uploads.find({"_id": {"$in": list(upload_ids)}, "user_id": user_id})
        return [Upload.from_document(document) for document in found]

    def by_idempotency_key(self, key: str) -> Upload | None:
        document = self._uploads.find_one({"idempotency.key": key})
        return Upload.from_document(document) if document else None

    def forget_key(self, upload_id: str) -> None:
        self._uploads.update_one({"_id": upload_id}, {"$set": {"idempotency": None}})

    def keep(self, upload_ids: Sequence[str], *, until: datetime | None) -> int:
        """A job needs these from now on; says how many are still there. None keeps them for ever."""
        longer = {"$max": ["$expires_at", until]}
        kept = {"$cond": [{"$eq": ["$expires_at", None]}, None, longer if until else None]}
        changed = {"confirmed": True, "expires_at": kept}
        return self._uploads.update_many(
            {"_id": {"$in": list(upload_ids)}}, [{"$set": changed}]
        ).matched_count

    def expired(self, *, limit: int) -> list[Upload]:
        due = {"expires_at": {"$type": "date"}, "$expr": {"$lt": ["$expires_at", "$$NOW"]}}
        return [Upload.from_document(document) for document in self._uploads.find(due).limit(limit)]

    def delete(self, upload: Upload) -> bool:
        """Unless a job began to use it meanwhile."""
        unchanged = {"_id": upload.upload_id, "expires_at": upload.expires_at}
        return self._uploads.delete_one(unchanged).deleted_count == 1
