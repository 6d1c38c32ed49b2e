"""Files, caches and sources over the object store: what the service gives its processors."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from common.errors import DownloadTooLarge, ProcessingError, SourceNotFound, UrlNotAllowed, ValidationFailed
from common.media_type import sniff
from common.names import collision_key, safe_name
from common.objects import keys
from common.objects.store import ObjectStore
from common.outbound.client import Outbound
from common.processing.base import FoundRecording, SourceFile, StoredFile

READ_BYTES = 1024 * 1024


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

    def write_new(self, name: str, data: bytes, media_type: str) -> StoredFile | None:
        stored = self._objects.put_new(f"{self._prefix}/{name}", data, media_type)
        if stored is None:
            return None
        return StoredFile(
            path=name, key=stored.key, size=stored.size, sha256=stored.sha256, media_type=media_type
        )

    def copy(self, name: str, target: Path) -> None:
        with target.open("wb") as file:
            file.writelines(self._objects.stream(f"{self._prefix}/{name}"))


def _store(
    objects: ObjectStore, key: str, path: str, data: bytes | Path, media_type: str | None
) -> StoredFile:
    kind = media_type or guess_type(path)
    stored = objects.put_file(key, data, kind) if isinstance(data, Path) else objects.put(key, data, kind)
    return StoredFile(path=path, key=key, size=stored.size, sha256=stored.sha256, media_type=kind)


class GuardedSources:
    """Downloads through the outbound guard; opens local files only below the configured roots, and uploads
    only of the user whose job it is."""

    def __init__(
        self,
        outbound: Callable[[], Outbound],
        folder: Path,
        *,
        max_bytes: int,
        roots: tuple[Path, ...] = (),
        objects: ObjectStore | None = None,
        user_id: str = "",
    ) -> None:
        self._outbound = outbound
        self._folder = folder
        self._max_bytes = max_bytes
        self._roots = roots
        self._objects = objects
        self._user_id = user_id
        self._count = 0

    def fetch(
        self, *, url: str | None = None, upload_id: str | None = None, file_path: str | None = None
    ) -> SourceFile:
        if url:
            return self._download(url)
        if file_path:
            return local_source(allowed_path(file_path, self._roots), max_bytes=self._max_bytes)
        if upload_id and self._objects:
            return self._copy(self._objects, keys.upload_prefix(self._user_id, upload_id))
        raise ValidationFailed("expected url, upload_id or file_path, found none of them")

    def look_up(self, url: str, *, language: str | None) -> FoundRecording:
        from common.processing.media.video_site import look_up

        return look_up(url, self._outbound(), language=language)

    def _copy(self, objects: ObjectStore, prefix: str) -> SourceFile:
        found = next(objects.listing(prefix), None)
        if found is None:
            raise SourceNotFound("The upload is not there: it never arrived, or it was kept for its time.")
        key, size = found
        if size > self._max_bytes:
            raise DownloadTooLarge(f"The upload has {size} bytes; at most {self._max_bytes} are allowed.")
        target = self._next_target()
        with target.open("wb") as file:
            for chunk in objects.stream(key):
                file.write(chunk)
        return replace(local_source(target, max_bytes=self._max_bytes), name=key.removeprefix(prefix))

    def _next_target(self) -> Path:
        self._count += 1
        return self._folder / f"source-{self._count}"

    def _download(self, url: str) -> SourceFile:
        target = self._next_target()
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
