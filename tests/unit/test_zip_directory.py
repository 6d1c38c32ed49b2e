"""A package is measured before it is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from common.errors import EncryptedFile, UnsupportedFile
from common.zip_directory import ZipLimits, open_checked, read_entry


def package(folder: Path, entries: dict[str, bytes]) -> Path:
    path = folder / "package.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in entries.items():
            target.writestr(name, data)
    return path


def test_a_sound_package_opens(tmp_path: Path) -> None:
    with open_checked(package(tmp_path, {"a.txt": b"hello"})) as opened:
        assert read_entry(opened, "a.txt", limit_bytes=10) == b"hello"


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    path = package(tmp_path, {f"{number}": b"" for number in range(11)})
    with pytest.raises(UnsupportedFile, match="11 entries; the limit is 10"):
        open_checked(path, limits=ZipLimits(entries=10))


def test_an_end_record_that_lies_about_its_entries_does_not_help(tmp_path: Path) -> None:
    data = bytearray(package(tmp_path, {f"{number}": b"" for number in range(11)}).read_bytes())
    struct.pack_into("<HH", data, len(data) - 14, 1, 1)
    path = tmp_path / "lying.zip"
    path.write_bytes(data)
    with pytest.raises(UnsupportedFile, match="11 entries"):
        open_checked(path, limits=ZipLimits(entries=10))


def test_too_large_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match="directory takes"):
        open_checked(package(tmp_path, {"a" * 100: b""}), limits=ZipLimits(directory_bytes=100))


def test_too_many_unpacked_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match="unpacks to 2000 bytes"):
        open_checked(package(tmp_path, {"a": b"x" * 2000}), limits=ZipLimits(unpacked_bytes=1000))


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match="limit is 400 : 1"):
        open_checked(package(tmp_path, {"bomb": bytes(64 * 1024**2)}))


def test_a_small_entry_may_be_packed_well(tmp_path: Path) -> None:
    open_checked(package(tmp_path, {"blank": bytes(1024**2)})).close()


def test_a_file_without_an_end_record_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "cut.zip"
    path.write_bytes(package(tmp_path, {"a": b"hello"}).read_bytes()[:20])
    with pytest.raises(UnsupportedFile, match="damaged"):
        open_checked(path)


def test_an_entry_never_gives_more_than_the_limit(tmp_path: Path) -> None:
    with (
        open_checked(package(tmp_path, {"a": b"x" * 100})) as opened,
        pytest.raises(UnsupportedFile, match="larger than 10 bytes"),
    ):
        read_entry(opened, "a", limit_bytes=10)


def test_a_damaged_entry_is_named(tmp_path: Path) -> None:
    data = bytearray(package(tmp_path, {"a": b"hello world " * 50}).read_bytes())
    data[31:36] = b"\xff\xff\xff\xff\xff"
    path = tmp_path / "damaged.zip"
    path.write_bytes(data)
    with open_checked(path) as opened, pytest.raises(UnsupportedFile, match="'a'"):
        read_entry(opened, "a", limit_bytes=10_000)


def test_an_entry_with_a_password_says_so(tmp_path: Path) -> None:
    data = bytearray(package(tmp_path, {"a": b"hello"}).read_bytes())
    struct.pack_into("<H", data, 6, 1)
    struct.pack_into("<H", data, data.index(b"PK\x01\x02") + 8, 1)
    path = tmp_path / "encrypted.zip"
    path.write_bytes(data)
    with open_checked(path) as opened, pytest.raises(EncryptedFile):
        read_entry(opened, "a", limit_bytes=100)


def test_a_zip64_directory_is_measured_too(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        target.writestr("a", b"hello")
    data = buffer.getvalue()
    end = data[-22:]
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 10**9, 10**9, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(data) - 22, 1)
    path = tmp_path / "zip64.zip"
    path.write_bytes(data[:-22] + record + locator + end)
    with pytest.raises(UnsupportedFile, match="1000000000 entries"):
        open_checked(path)
