"""One file of an archive: where it stands, what it must turn out to be, and how to read it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True, kw_only=True)
class Entry:
    path: str
    size: int
    sha256: str
    open: Callable[[], Iterator[bytes]]


def bytes_entry(path: str, data: bytes) -> Entry:
    return Entry(
        path=path, size=len(data), sha256=hashlib.sha256(data).hexdigest(), open=lambda: iter((data,))
    )


def file_entry(path: str, source: Path) -> Entry:
    """A file of the local disk; it is read once for its digest and once when it is packed."""
    digest = hashlib.sha256()
    for chunk in read_chunks(source):
        digest.update(chunk)
    return Entry(
        path=path,
        size=source.stat().st_size,
        sha256=digest.hexdigest(),
        open=lambda: read_chunks(source),
    )


def read_chunks(source: Path) -> Iterator[bytes]:
    with source.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk
