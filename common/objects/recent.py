"""The object store of one job: small things that the job has written or read are in memory."""

from __future__ import annotations

from collections.abc import Iterator

from common.objects.store import ObjectStore, StoredObject
from common.settings import Objects

MOST_BYTES = 16 * 1024**2
SMALL_BYTES = 1024**2


class RecentObjects(ObjectStore):
    """Packs a job's archive without fetching what was sent or read a moment ago. Not for longer than a job:
    the keys of a cache belong to all."""

    def __init__(self, options: Objects) -> None:
        super().__init__(options)
        self._recent: dict[str, bytes] = {}
        self._room = MOST_BYTES

    def put(self, key: str, data: bytes, media_type: str) -> StoredObject:
        stored = super().put(key, data, media_type)
        self._remember(key, data)
        return stored

    def stream(self, key: str) -> Iterator[bytes]:
        if (data := self._recent.get(key)) is not None:
            yield data
            return
        start = b""
        for chunk in super().stream(key):
            start += chunk if len(start) <= SMALL_BYTES else b""
            yield chunk
        self._remember(key, start)

    def _remember(self, key: str, data: bytes) -> None:
        if len(data) <= min(self._room, SMALL_BYTES):
            self._room -= len(data)
            self._recent[key] = data
