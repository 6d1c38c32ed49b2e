"""Stored result files as entries of an archive."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from common.archive.entry import Entry
from common.archive.links import SESSIONS_FOLDER
from common.objects.store import ObjectStore
from common.processing.base import StoredFile


def vault_entries(files: Sequence[StoredFile], objects: ObjectStore) -> list[Entry]:
    """A vault of sessions holds nothing beside them; other results are packed as they are."""
    of_sessions = [file for file in files if file.path.startswith(f"{SESSIONS_FOLDER}/")]
    return [_entry(file, objects) for file in of_sessions or files]


def _entry(file: StoredFile, objects: ObjectStore) -> Entry:
    sha256 = file.sha256 or _digest(objects.stream(file.key))  # a listing of the cache tells no digests
    return Entry(path=file.path, size=file.size, sha256=sha256, open=_opener(objects, file.key))


def _digest(chunks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _opener(objects: ObjectStore, key: str) -> Callable[[], Iterator[bytes]]:
    return lambda: objects.stream(key)
