"""Files, caches and sources in a folder: a processor runs from here with no service at all."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from common.names import safe_name
from common.processing.base import FoundRecording, SourceFile, StoredFile
from common.processing.storage import guess_type, local_source


class FolderFiles:
    """Result files below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, StoredFile] = {}

    def write(self, path: str, data: bytes | Path, media_type: str | None = None) -> StoredFile:
        target = self._folder.joinpath(*(safe_name(part) for part in path.split("/")))
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, Path):
            shutil.copyfile(data, target)
            data = target.read_bytes()
        else:
            target.write_bytes(data)
        file = StoredFile(
            path=path, key=str(target), size=len(data), sha256=hashlib.sha256(data).hexdigest(),
            media_type=media_type or guess_type(path),
        )  # fmt: skip
        self._files[path] = file
        return file

    def adopt(self, path: str, cached: StoredFile) -> StoredFile:
        return self.write(path, Path(cached.key), cached.media_type)

    def listing(self) -> tuple[StoredFile, ...]:
        return tuple(self._files.values())

    def read(self, path: str) -> bytes:
        return Path(self._files[path].key).read_bytes()


class FolderCache:
    """A cache that lives as long as its folder: nothing is kept between two calls of `convert`."""

    def __init__(self, folder: Path) -> None:
        self._files = FolderFiles(folder)
        self._folder = folder

    def names(self) -> dict[str, StoredFile]:
        return {file.path: file for file in self._files.listing()}

    def read(self, name: str) -> bytes:
        return self._files.read(name)

    def write(self, name: str, data: bytes | Path, media_type: str | None = None) -> StoredFile:
        return self._files.write(name, data, media_type)

    def write_new(self, name: str, data: bytes, media_type: str) -> StoredFile | None:
        return None if name in self.names() else self.write(name, data, media_type)

    def copy(self, name: str, target: Path) -> None:
        target.write_bytes(self.read(name))


class LocalSources:
    """The files a user named on the command line."""

    def __init__(self, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    def fetch(
        self, *, url: str | None = None, upload_id: str | None = None, file_path: str | None = None
    ) -> SourceFile:
        if not file_path:
            raise ValueError("without the service only local files can be read")
        return local_source(Path(file_path), max_bytes=self._max_bytes)

    def look_up(self, url: str, *, language: str | None) -> FoundRecording:
        raise ValueError("without the service only local files can be read")
