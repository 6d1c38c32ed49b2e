"""Opens ZIP files only after their directory was measured: a bomb is refused before it unpacks."""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path

from common.errors import EncryptedFile, UnsupportedFile

END_RECORD = b"PK\x05\x06"
END_RECORD_BYTES = 22
LONGEST_COMMENT_BYTES = 65_535
ZIP64_LOCATOR = b"PK\x06\x07"
ZIP64_LOCATOR_BYTES = 20
ZIP64_RECORD_BYTES = 56

_DAMAGED = "The file looks like a ZIP package, but its directory is missing or damaged; it may be truncated."


@dataclass(frozen=True, kw_only=True)
class ZipLimits:
    """What a package may unpack to; generous for real documents, far below what hurts a worker."""

    entries: int = 20_000
    directory_bytes: int = 16 * 1024**2
    unpacked_bytes: int = 4 * 1024**3
    # Deflate cannot exceed 1032:1; real XML of large, empty sheets reaches about 200:1.
    ratio: int = 400
    # Below this size a high ratio harms nobody: blank bitmaps and empty sheets reach it.
    ratio_from_bytes: int = 32 * 1024**2


def open_checked(path: Path, *, limits: ZipLimits | None = None) -> zipfile.ZipFile:
    """The opened package; raises UnsupportedFile when it is damaged or over a limit."""
    limits = limits or ZipLimits()
    _check_end_record(path, limits)
    try:
        package = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, struct.error, NotImplementedError) as error:
        raise UnsupportedFile(_DAMAGED) from error
    try:
        _check_entries(package.infolist(), limits)
    except BaseException:
        package.close()
        raise
    return package


def read_entry(package: zipfile.ZipFile, name: str, *, limit_bytes: int) -> bytes:
    """One entry, never more than the limit, whatever its header claims."""
    try:
        with package.open(name) as stream:
            data = stream.read(limit_bytes + 1)
    except (KeyError, zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError) as error:
        raise UnsupportedFile(f"The package has no readable entry {name!r}.") from error
    except RuntimeError as error:  # zipfile's way to say that a password is needed
        raise EncryptedFile("The package is protected by a password.") from error
    except Exception as error:  # zlib.error, lzma.LZMAError: they have no base class in common
        raise UnsupportedFile(f"The entry {name!r} of the package is damaged.") from error
    if len(data) > limit_bytes:
        raise UnsupportedFile(f"The entry {name!r} of the package is larger than {limit_bytes} bytes.")
    return data


def _check_end_record(path: Path, limits: ZipLimits) -> None:
    """Entry count and directory size by the end record: zipfile would read them all into memory."""
    size = path.stat().st_size
    tail_bytes = min(size, END_RECORD_BYTES + LONGEST_COMMENT_BYTES + ZIP64_LOCATOR_BYTES)
    with path.open("rb") as stream:
        stream.seek(size - tail_bytes)
        tail = stream.read(tail_bytes)
        at = tail.rfind(END_RECORD)
        if at < 0 or len(tail) - at < END_RECORD_BYTES:
            raise UnsupportedFile(_DAMAGED)
        entries, directory_bytes = struct.unpack_from("<HI", tail, at + 10)
        locator = tail[max(0, at - ZIP64_LOCATOR_BYTES) : at]
        if locator.startswith(ZIP64_LOCATOR) and len(locator) == ZIP64_LOCATOR_BYTES:
            stream.seek(min(struct.unpack_from("<Q", locator, 8)[0], size))
            record = stream.read(ZIP64_RECORD_BYTES)
            if len(record) < ZIP64_RECORD_BYTES:
                raise UnsupportedFile(_DAMAGED)
            entries, directory_bytes = struct.unpack_from("<QQ", record, 32)
    if entries > limits.entries:
        raise UnsupportedFile(f"The package holds {entries} entries; the limit is {limits.entries}.")
    if directory_bytes > limits.directory_bytes:
        raise UnsupportedFile(
            f"The package's directory takes {directory_bytes} bytes; the limit is {limits.directory_bytes}."
        )


def _check_entries(entries: list[zipfile.ZipInfo], limits: ZipLimits) -> None:
    if len(entries) > limits.entries:
        raise UnsupportedFile(f"The package holds {len(entries)} entries; the limit is {limits.entries}.")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limits.unpacked_bytes:
        raise UnsupportedFile(
            f"The package unpacks to {unpacked} bytes; the limit is {limits.unpacked_bytes}."
        )
    # Entries may overlap and share packed bytes, so the whole is measured as well as each part.
    for entry in entries:
        _check_ratio(entry.filename, entry.file_size, entry.compress_size, limits)
    _check_ratio("the whole package", unpacked, sum(entry.compress_size for entry in entries), limits)


def _check_ratio(name: str, unpacked: int, packed: int, limits: ZipLimits) -> None:
    if unpacked >= limits.ratio_from_bytes and unpacked > packed * limits.ratio:
        raise UnsupportedFile(
            f"{name!r} unpacks from {packed} to {unpacked} bytes; the limit is {limits.ratio} : 1."
        )
