"""Every query on API keys. A key's text is never here, only what recognises it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pymongo.collection import Collection
from pymongo.database import Database

from common.identity.api_key import StoredKey

Document = dict[str, Any]


class KeyStore:
    def __init__(self, database: Database[Document]) -> None:
        self._keys: Collection[Document] = database["api_keys"]

    def insert(self, key: StoredKey) -> None:
        self._keys.insert_one(_document(key))

    def find(self, key_id: str) -> StoredKey | None:
        document = self._keys.find_one({"_id": key_id})
        return _key(document) if document else None

    def newest(self, *, limit: int) -> list[StoredKey]:
        return [_key(document) for document in self._keys.find().sort("created_at", -1).limit(limit)]

    def revoke(self, key_id: str, *, at: datetime) -> bool:
        """False when there is no such key; a second time changes nothing."""
        revoked = [{"$set": {"revoked_at": {"$ifNull": ["$revoked_at", at]}}}]
        return self._keys.update_one({"_id": key_id}, revoked).matched_count == 1


def _document(key: StoredKey) -> Document:
    return {
        "_id": key.key_id,
        "name": key.name,
        "secret_hash": key.secret_hash,
        "user_id": key.user_id,
        "groups": sorted(key.groups),
        "is_admin": key.is_admin,
        "rights": sorted(key.rights),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    }


def _key(document: Document) -> StoredKey:
    return StoredKey(
        key_id=document["_id"],
        name=document["name"],
        secret_hash=document["secret_hash"],
        user_id=document["user_id"],
        groups=frozenset(document["groups"]),
        is_admin=document["is_admin"],
        rights=frozenset(document["rights"]),
        created_at=document["created_at"],
        expires_at=document["expires_at"],
        revoked_at=document["revoked_at"],
    )
