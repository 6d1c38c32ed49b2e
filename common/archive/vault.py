"""The vault ZIP, streamed: equal files give equal bytes, and no file is ever held in memory."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from common.archive.entry import Entry, bytes_entry
from common.archive.manifest import MANIFEST_NAME, Origin, manifest_entry
from common.errors import ProcessingError, ValidationFailed
from common.names import collision_key, log_safe, safe_name

README_NAME = "README.md"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first moment a ZIP can name: archives carry no real time
PLAIN_FILE = 0o100644 << 16  # a regular file, never a link
UNIX = 3
WRITE_BYTES = 1024**2

# Deflating these again costs time and gains nothing.
_PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif"}
_RECORDINGS = {".mp3", ".m4a", ".aac", ".ogg", ".opus", ".flac", ".mp4", ".m4v", ".webm", ".mkv", ".mov"}
_DOCUMENTS = {".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".odp", ".ods", ".epub"}
_ARCHIVES = {".zip", ".gz", ".xz", ".zst", ".7z"}
PACKED_SUFFIXES = _PICTURES | _RECORDINGS | _DOCUMENTS | _ARCHIVES


def vault(entries: Iterable[Entry], *, readme: str, origin: Origin | None = None) -> Iterator[bytes]:
    """README.md, manifest.json and the files in the order of their paths, as chunks of a ZIP."""
    origin = origin or Origin()
    files = [bytes_entry(README_NAME, readme.encode()), *sorted(entries, key=lambda entry: entry.path)]
    check_paths([MANIFEST_NAME, *(entry.path for entry in files)])
    return _stream([files[0], manifest_entry(files, origin), *files[1:]])


def check_paths(paths: Sequence[str]) -> None:
    """Refuse what could leave the folder it is unpacked into, or overwrite a sibling there."""
    taken: set[str] = set()
    for path in paths:
        if any(safe_name(part, fallback="") != part or not part for part in path.split("/")):
            raise ValidationFailed(
                f"Not a safe path for an archive: {log_safe(path)!r}; expected names/like/this.md"
            )
        key = collision_key(path)
        if key in taken:
            raise ValidationFailed(f"Two files of the archive would share the path {log_safe(path)!r}")
        taken.add(key)
    folders = {collision_key(str(folder)) for path in paths for folder in PurePosixPath(path).parents}
    if clash := sorted(taken & folders):
        raise ValidationFailed(f"{log_safe(clash[0])!r} is a file and a folder of the same archive")


class _Sink:
    """What zipfile writes to: it takes bytes and gives them on, and cannot seek."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._chunks.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing to do: the chunks are taken after every write."""

    def take(self) -> Iterator[bytes]:
        chunks, self._chunks = self._chunks, []
        yield from (chunk for chunk in chunks if chunk)


def _stream(entries: Iterable[Entry]) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", allowZip64=True) as archive:  # type: ignore[call-overload]
        for entry in entries:
            with archive.open(_header(entry), "w") as target:
                for chunk in _verified(entry):
                    target.write(chunk)
                    yield from sink.take()
            yield from sink.take()
    yield from sink.take()


def _header(entry: Entry) -> zipfile.ZipInfo:
    header = zipfile.ZipInfo(entry.path, date_time=EARLIEST)
    packed = PurePosixPath(entry.path).suffix.lower() in PACKED_SUFFIXES
    header.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
    header.external_attr = PLAIN_FILE
    header.create_system = UNIX
    header.file_size = entry.size  # decides on Zip64 before the first byte is written
    return header


def _verified(entry: Entry) -> Iterator[memoryview]:
    """The entry's bytes, in pieces of bounded size; what the manifest says of them must turn out true."""
    digest = hashlib.sha256()
    size = 0
    for chunk in entry.open():
        digest.update(chunk)
        size += len(chunk)
        view = memoryview(chunk)
        yield from (view[start : start + WRITE_BYTES] for start in range(0, len(view), WRITE_BYTES))
    if size != entry.size or digest.hexdigest() != entry.sha256:
        raise ProcessingError(
            f"{log_safe(entry.path)} changed while it was packed:"
            f" expected {entry.size} bytes with sha256 {entry.sha256}, found {size} with {digest.hexdigest()}"
        )
