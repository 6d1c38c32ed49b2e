import hashlib
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.archive.entry import Entry, bytes_entry, file_entry
from common.archive.manifest import Origin
from common.archive.vault import check_paths, vault
from common.errors import ProcessingError, ValidationFailed
from common.names import collision_key, safe_path, unique_names

REPOSITORY = Path(__file__).parents[3]
NOTE = bytes_entry("sessions/FOSDEM_2025/DE/Main_Track/welcome_fosdem.md", "# Größe 💌\n".encode() * 100)
SLIDE = bytes_entry("sessions/FOSDEM_2025/assets/welcome_fosdem/slide_01.png", b"\x89PNG" + bytes(5000))
ORIGIN = Origin(engines={"liteparse": "2.17"}, options={"target_language": "de"})


def packed(*entries: Entry, readme: str = "# Welcome\n", origin: Origin = ORIGIN) -> bytes:
    return b"".join(vault(entries, readme=readme, origin=origin))


def opened(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


def test_the_vault_holds_readme_manifest_and_files_under_their_own_paths() -> None:
    with opened(packed(NOTE, SLIDE)) as archive:
        assert archive.namelist() == ["README.md", "manifest.json", NOTE.path, SLIDE.path]
        assert archive.testzip() is None
        assert archive.read(NOTE.path).decode().startswith("# Größe 💌")


def test_the_manifest_tells_size_and_digest_of_every_file_and_what_made_them() -> None:
    with opened(packed(NOTE, SLIDE)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["engines"] == {"liteparse": "2.17"}
        assert manifest["options"] == {"target_language": "de"}
        assert {file["path"] for file in manifest["files"]} == set(archive.namelist()) - {"manifest.json"}
        for file in manifest["files"]:
            data = archive.read(file["path"])
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file["size"], file["sha256"])


def test_equal_input_in_any_order_gives_equal_bytes() -> None:
    assert packed(NOTE, SLIDE) == packed(SLIDE, NOTE)


def test_pictures_are_stored_and_texts_deflated() -> None:
    with opened(packed(NOTE, SLIDE)) as archive:
        assert archive.getinfo(SLIDE.path).compress_type == zipfile.ZIP_STORED
        assert archive.getinfo(NOTE.path).compress_type == zipfile.ZIP_DEFLATED


def test_no_entry_is_a_link_and_none_carries_a_real_time() -> None:
    with opened(packed(NOTE, SLIDE)) as archive:
        for info in archive.infolist():
            assert info.external_attr >> 16 == 0o100644
            assert info.date_time == (1980, 1, 1, 0, 0, 0)


def test_names_outside_ascii_are_marked_as_utf8() -> None:
    entry = bytes_entry("sessions/Köln/DE/Ümläute/日本語.md", b"x")
    with opened(packed(entry)) as archive:
        assert archive.getinfo(entry.path).flag_bits & 0x800


def test_unzip_finds_no_fault(tmp_path: Path) -> None:
    target = tmp_path / "vault.zip"
    target.write_bytes(packed(NOTE, SLIDE, bytes_entry("empty.txt", b"")))
    done = subprocess.run(["unzip", "-tqq", str(target)], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_files_of_the_disk_are_read_in_pieces(tmp_path: Path) -> None:
    source = tmp_path / "page.pdf"
    source.write_bytes(random.Random(1).randbytes(700_000))
    with opened(packed(file_entry("report/page.pdf", source))) as archive:
        assert archive.read("report/page.pdf") == source.read_bytes()


def test_a_file_that_changed_since_it_was_listed_fails_the_archive() -> None:
    wrong = Entry(path="a.txt", size=3, sha256="0" * 64, open=lambda: iter((b"abc",)))
    with pytest.raises(ProcessingError, match=r"a\.txt changed while it was packed"):
        packed(wrong)


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "/etc/passwd",
        "a//b",
        "a/../b",
        "C:/x",
        "a\\b",
        "nul.txt",
        "a/.",
        "x\n.md",
        "",
        "a/",
        "con/a.md",
        "cafe\u0301",
    ],
)
def test_an_unsafe_path_is_refused(path: str) -> None:
    with pytest.raises(ValidationFailed, match="Not a safe path"):
        packed(bytes_entry(path, b""))


@pytest.mark.parametrize(
    "paths", [["a/X.md", "A/x.md"], ["readme.MD"], ["Manifest.json"], ["straße", "STRASSE"], ["a", "a/b"]]
)
def test_paths_that_meet_on_a_case_blind_disk_are_refused(paths: list[str]) -> None:
    with pytest.raises(ValidationFailed):
        packed(*(bytes_entry(path, b"") for path in paths))


@given(st.lists(st.lists(st.text(max_size=30), min_size=1, max_size=4), max_size=8), st.binary(max_size=2000))
def test_whatever_the_names_were_the_sanitised_vault_is_sound(parts: list[list[str]], data: bytes) -> None:
    folders = unique_names("/".join(part) for part in parts)
    entries = [
        bytes_entry(f"{folder}/{safe_path(*part)}", data) for folder, part in zip(folders, parts, strict=True)
    ]
    with opened(packed(*entries)) as archive:
        assert archive.testzip() is None
        keys = [collision_key(name) for name in archive.namelist()]
        assert len(set(keys)) == len(keys) == len(entries) + 2
        check_paths(archive.namelist())


def test_more_files_than_a_plain_zip_can_count() -> None:
    entries = [bytes_entry(f"pages/page_{number:05}.txt", b"") for number in range(66_000)]
    with opened(packed(*entries)) as archive:
        assert len(archive.namelist()) == 66_002


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory as Linux reports it")
def test_300_megabytes_need_less_than_150_of_memory() -> None:
    script = (
        "import hashlib, resource\n"
        "from common.archive.entry import Entry\n"
        "from common.archive.vault import vault\n"
        "block = bytes(range(256)) * 4096\n"
        "digest = hashlib.sha256()\n"
        "for _ in range(300): digest.update(block)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "entry = Entry(path='talk.mp4', size=300 * len(block), sha256=digest.hexdigest(),"
        " open=lambda: (block for _ in range(300)))\n"
        "total = sum(len(chunk) for chunk in vault([entry], readme='x'))\n"
        "assert total > 300 * len(block)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert int(done.stdout) < 150


def test_a_reader_that_stops_early_closes_what_it_opened() -> None:
    closed = []

    def chunks() -> Iterator[bytes]:
        try:
            yield b"a" * 2_000_000
            yield b"b"
        finally:
            closed.append(True)

    stream = vault([Entry(path="x.png", size=2_000_001, sha256="", open=chunks)], readme="x")
    for chunk in stream:
        if len(chunk) > 100_000:
            break
    stream.close()  # type: ignore[attr-defined]
    assert closed
