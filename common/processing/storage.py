"""Files, caches and sources over the object store: what the service gives its processors."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Callable
from pathlib import Path

from common.errors import DownloadTooLarge, ProcessingError, SourceNotFound, UrlNotAllowed, ValidationFailed
from common.media_type import sniff
from common.names import collision_key, safe_name
from common.objects import keys
from common.objects.store import ObjectStore
from common.outbound.client import Outbound
from common.processing.base import SourceFile, StoredFile

READ_BYTES = 1024 * 1024
UPLOAD_ID = re.compile(r"upload-[0-9a-f]{32}")


def guess_type(path: str) -> str:
    if path.endswith((".md", ".txt", ".vtt")):
        return {"md": "text/markdown", "txt": "text/plain", "vtt": "text/vtt"}[
            path.rsplit(".", 1)[1]
        ] + "; charset=utf-8"
    return mimetypes.guess_type(path)[0] or "application/octet-stream"


class ObjectFiles:
    """The result files of one attempt at one job."""

    def __init__(self, objects: ObjectStore, job_id: str, attempt: int) -> None:
        self._objects = objects
        self._job_id = job_id
        self._attempt = attempt
        self._files: dict[str, StoredFile] = {}

    def write(self, path: str, data: bytes | Path, media_type: str | None = None) -> StoredFile:
        key = keys.result(self._job_id, self._attempt, path)
        return self._keep(_store(self._objects, key, path, data, media_type))

    def adopt(self, path: str, cached: StoredFile) -> StoredFile:
        return self._keep(
            StoredFile(
                path=path,
                key=cached.key,
                size=cached.size,
                sha256=cached.sha256,
                media_type=cached.media_type,
            )
        )

    def listing(self) -> tuple[StoredFile, ...]:
        return tuple(self._files.values())

    def read(self, path: str) -> bytes:
        return self._objects.get(self._files[collision_key(path)].key)

    def _keep(self, file: StoredFile) -> StoredFile:
        if any(safe_name(part, fallback="") != part for part in file.path.split("/")):
            raise ProcessingError(f"A processor named a file unsafely: {file.path[:80]!r}.")
        self._files[collision_key(file.path)] = file
        return file


class ObjectCache:
    """What is known about one content by one method, shared by all jobs."""

    def __init__(self, objects: ObjectStore, kind: str, sha256: str, method: str) -> None:
        self._objects = objects
        self._prefix = keys.cache_prefix(kind, sha256, method)

    def names(self) -> dict[str, StoredFile]:
        """The store's listing has no digests; they are not needed to reuse a file."""
        found = self._objects.listing(f"{self._prefix}/")
        files = (
            StoredFile(path=key.rsplit("/", 1)[1], key=key, size=size, sha256="", media_type=guess_type(key))
            for key, size in found
        )
        return {file.path: file for file in files}

    def read(self, name: str) -> bytes:
        return self._objects.get(f"{self._prefix}/{name}")

    def write(self, name: str, data: bytes | Path, media_type: str | None = None) -> StoredFile:
        return _store(self._objects, f"{self._prefix}/{name}", name, data, media_type)

    def copy(self, name: str, target: Path) -> None:
        with target.open("wb") as file:
            file.writelines(self._objects.stream(f"{self._prefix}/{name}"))


def _store(
    objects: ObjectStore, key: str, path: str, data: bytes | Path, media_type: str | None
) -> StoredFile:
    kind = media_type or guess_type(path)
    stored = objects.put_file(key, data, kind) if isinstance(data, Path) else objects.put(key, data, kind)
    return StoredFile(path=path, key=key, size=stored.size, sha256=stored.sha256, media_type=kind)


class Uploads:
    """The uploads of one user: their id is part of each key, so there is no way to those of others."""

    def __init__(self, objects: ObjectStore, user_id: str) -> None:
        self._objects = objects
        self._user_id = user_id

    def copy(self, upload_id: str, target: Path, *, max_bytes: int) -> SourceFile:
        key, size = self._find(upload_id)
        if size > max_bytes:
            raise DownloadTooLarge(f"The upload has {size} bytes; at most {max_bytes} are allowed.")
        digest = hashlib.sha256()
        with target.open("wb") as file:
            for chunk in self._objects.stream(key):
                digest.update(chunk)
                file.write(chunk)
        name = key.rsplit("/", 1)[1]
        return SourceFile(
            path=target, name=name, size=size, sha256=digest.hexdigest(), media_type=sniff(target)
        )

    def _find(self, upload_id: str) -> tuple[str, int]:
        """Looked up before it is read; there is one object below an upload's prefix, or none."""
        known = UPLOAD_ID.fullmatch(upload_id)
        prefix = keys.upload_prefix(self._user_id, upload_id)
        found = next(self._objects.listing(prefix), None) if known else None
        if found is None:
            raise SourceNotFound("There is no such upload, or its file has not arrived.")
        return found


class GuardedSources:
    """Downloads through the outbound guard; opens local files only below the configured roots."""

    def __init__(
        self,
        outbound: Callable[[], Outbound],
        folder: Path,
        *,
        max_bytes: int,
        roots: tuple[Path, ...],
        uploads: Uploads | None = None,
    ) -> None:
        self._uploads = uploads
        self._outbound = outbound
        self._folder = folder
        self._max_bytes = max_bytes
        self._roots = roots
        self._count = 0

    def fetch(
        self, *, url: str | None = None, upload_id: str | None = None, file_path: str | None = None
    ) -> SourceFile:
        if url:
            return self._download(url)
        if file_path:
            return local_source(allowed_path(file_path, self._roots), max_bytes=self._max_bytes)
        if upload_id and self._uploads:
            return self._uploads.copy(upload_id, self._next_path(), max_bytes=self._max_bytes)
        raise ValidationFailed("Expected a url, an upload_id or a file_path.")

    def _next_path(self) -> Path:
        self._count += 1
        return self._folder / f"source-{self._count}"

    def _download(self, url: str) -> SourceFile:
        target = self._next_path()
        got = self._outbound().download(url, target, max_bytes=self._max_bytes)
        return SourceFile(
            path=got.path,
            name=safe_name(got.filename, fallback="document"),
            size=got.size,
            sha256=got.sha256,
            media_type=sniff(got.path),
            url=got.final_url,
        )


def allowed_path(file_path: str, roots: tuple[Path, ...]) -> Path:
    """Links are followed before the check, so that none leads out of a root."""
    path = Path(file_path)
    if path.is_absolute() and any(path.resolve().is_relative_to(root.resolve()) for root in roots):
        return path.resolve()
    raise UrlNotAllowed("file_path is not below a folder that the operator allows (files.roots).")


def local_source(path: Path, *, max_bytes: int) -> SourceFile:
    if not path.is_file():
        raise SourceNotFound(f"There is no file {path.name!r}.")
    size = path.stat().st_size
    if size > max_bytes:
        raise DownloadTooLarge(f"{path.name!r} has {size} bytes; at most {max_bytes} are allowed.")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(READ_BYTES):
            digest.update(chunk)
    return SourceFile(path=path, name=path.name, size=size, sha256=digest.hexdigest(), media_type=sniff(path))
