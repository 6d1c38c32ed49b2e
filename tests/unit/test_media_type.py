"""A file is named by its bytes, whatever it calls itself."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common import media_type
from common.media_type import sniff
from tests.unit.shared_files import FIXTURES, needs_shared


def write(folder: Path, data: bytes, name: str = "upload.bin") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def zipped(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in entries.items():
            package.writestr(name, data)
    return buffer.getvalue()


def office(main_part: str) -> bytes:
    types = f'<Types><Override PartName="/main.xml" ContentType="{main_part}"/></Types>'
    return zipped({"[Content_Types].xml": types.encode(), "main.xml": b"<x/>"})


def iso_media(*brands: bytes) -> bytes:
    box = b"ftyp" + brands[0] + b"\0\0\0\0" + b"".join(brands[1:])
    return struct.pack(">I", len(box) + 4) + box + b"\0\0\0\x08free"


def ole(stream_name: str) -> bytes:
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    struct.pack_into("<H", header, 30, 9)
    struct.pack_into("<I", header, 48, 0)
    return bytes(header) + f"Root Entry\0{stream_name}\0".encode("utf-16-le").ljust(512, b"\0")


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)

KNOWN = {
    "pdf": (b"%PDF-1.7\n", media_type.PDF),
    "pdf after junk": (b"\0junk\n%PDF-1.4\n1 0 obj\nstartxref\n0\n%%EOF", media_type.PDF),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF", media_type.JPEG),
    "png": (b"\x89PNG\r\n\x1a\n\0\0", media_type.PNG),
    "gif": (b"GIF89a\0\0", media_type.GIF),
    "bmp": (b"BM" + bytes(12) + struct.pack("<I", 40), media_type.BMP),
    "tiff": (b"II*\0\x08\0\0\0", media_type.TIFF),
    "webp": (b"RIFF\0\0\0\0WEBPVP8 ", media_type.WEBP),
    "wav": (b"RIFF\0\0\0\0WAVEfmt ", media_type.WAV),
    "heic": (iso_media(b"heic", b"mif1"), media_type.HEIC),
    "avif": (iso_media(b"mif1", b"avif"), media_type.AVIF),
    "mp4": (iso_media(b"isom", b"mp42"), media_type.MP4),
    "m4a": (iso_media(b"M4A ", b"isom"), media_type.M4A),
    "quicktime": (iso_media(b"qt  "), media_type.QUICKTIME),
    "webm": (b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", media_type.WEBM),
    "matroska": (b"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska", media_type.MATROSKA),
    "mp3 with tag": (b"ID3\x04\0\0\0\0\0\0", media_type.MP3),
    "mp3 frames": (MP3_FRAME + MP3_FRAME, media_type.MP3),
    "flac": (b"fLaC\0\0\0\x22", media_type.FLAC),
    "ogg": (b"OggS\0\x02" + bytes(22) + b"OpusHead", media_type.OGG_AUDIO),
    "ogg video": (b"OggS\0\x02" + bytes(22) + b"\x80theora", media_type.OGG_VIDEO),
    "docx": (office(f"{WORD}.document.main+xml"), media_type.DOCX),
    "word template": (office(f"{WORD}.template.main+xml"), media_type.DOCX),
    "docm": (office("application/vnd.ms-word.document.macroEnabled.main+xml"), media_type.DOCX),
    "xlsb": (office("application/vnd.ms-excel.sheet.binary.macroEnabled.main"), media_type.XLSB),
    "zip": (zipped({"a.txt": b"hello"}), media_type.ZIP),
    "empty zip": (zipped({}), media_type.ZIP),
    "odt": (zipped({"mimetype": media_type.ODT.encode()}), media_type.ODT),
    "ods template": (zipped({"mimetype": media_type.ODS.encode() + b"-template"}), media_type.ODS),
    "epub": (zipped({"mimetype": media_type.EPUB.encode()}), media_type.EPUB),
    "doc": (ole("WordDocument"), media_type.DOC),
    "ppt": (ole("PowerPoint Document"), media_type.PPT),
    "xls": (ole("Workbook"), media_type.XLS),
    "encrypted office": (ole("EncryptedPackage"), media_type.OLE_ENCRYPTED),
    "rtf": (b"{\\rtf1 hello}", media_type.RTF),
    "html": (b"\xef\xbb\xbf<!-- made by hand -->\n<!DOCTYPE html><html>", media_type.HTML),
    "xhtml": (b'<?xml version="1.0"?><html xmlns="x">', media_type.HTML),
    "xml": (b'<?xml version="1.0"?><schedule/>', media_type.XML),
    "svg": (b'<svg xmlns="x"/>', media_type.SVG),
    "json": (b' {"a": [1]}', media_type.JSON),
    "long json": (json.dumps(["x" * 100] * 20_000).encode(), media_type.JSON),
    "vtt": (b"WEBVTT\n\n00:00.000 --> 00:01.000\nhi", media_type.VTT),
    "srt": (b"1\r\n00:00:00,000 --> 00:00:01,000\r\nhi\r\n", media_type.SRT),
    "utf-8 text": ("Grüße aus Köln".encode(), media_type.TEXT),
    "utf-16 text": ("Grüße aus Köln".encode("utf-16"), media_type.TEXT),
    "latin-1 text": ("Grüße aus Köln".encode("latin-1"), media_type.TEXT),
    "text in brackets": (b"[1] A reference, not JSON", media_type.TEXT),
    "text about PDF": (b"Every PDF starts with %PDF-1.4 or so.", media_type.TEXT),
    "nothing": (b"", media_type.EMPTY),
    "noise": (bytes(range(32)) * 9, media_type.UNKNOWN),
}


@pytest.mark.parametrize("name", KNOWN)
def test_names_what_the_bytes_are(tmp_path: Path, name: str) -> None:
    data, expected = KNOWN[name]
    assert sniff(write(tmp_path, data)) == expected


def test_the_extension_does_not_matter(tmp_path: Path) -> None:
    assert sniff(write(tmp_path, KNOWN["jpeg"][0], "paper.pdf")) == media_type.JPEG


@pytest.mark.parametrize("first", ["pdf", "jpeg", "png", "gif", "html"])
def test_a_polyglot_is_what_it_starts_as(tmp_path: Path, first: str) -> None:
    data, expected = KNOWN[first]
    polyglot = data + b"\n%PDF-1.4\nstartxref\n%%EOF\n" + KNOWN["docx"][0]
    assert sniff(write(tmp_path, polyglot)) == (media_type.PDF if first == "html" else expected)


def test_a_truncated_office_file_is_a_zip(tmp_path: Path) -> None:
    data = KNOWN["docx"][0]
    assert sniff(write(tmp_path, data[: len(data) // 2])) == media_type.ZIP


def test_a_truncated_open_document_still_tells_its_type(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as package:
        package.writestr("mimetype", media_type.ODP)
        package.writestr("content.xml", b"<x/>" * 100)
    assert sniff(write(tmp_path, buffer.getvalue()[:200])) == media_type.ODP


def test_a_package_with_too_many_entries_is_not_looked_into(tmp_path: Path) -> None:
    data = bytearray(KNOWN["docx"][0])
    struct.pack_into("<H", data, len(data) - 12, 65_000)
    assert sniff(write(tmp_path, bytes(data))) == media_type.ZIP


@given(data=st.binary(max_size=2000))
@settings(max_examples=300, deadline=None)
def test_any_bytes_get_some_type(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    assert "/" in sniff(write(tmp_path_factory.getbasetemp(), data))


@given(
    name=st.sampled_from(sorted(KNOWN)),
    keep=st.floats(min_value=0, max_value=1),
    noise=st.binary(max_size=40),
    at=st.floats(min_value=0, max_value=1),
)
@settings(max_examples=500, deadline=None)
def test_damaged_files_get_some_type(
    tmp_path_factory: pytest.TempPathFactory, name: str, keep: float, noise: bytes, at: float
) -> None:
    data = bytearray(KNOWN[name][0])
    del data[int(len(data) * keep) :]
    place = int(len(data) * at)
    data[place : place + len(noise)] = noise
    assert "/" in sniff(write(tmp_path_factory.getbasetemp(), bytes(data)))


EXTENSIONS = {
    ".pdf": media_type.PDF,
    ".pptx": media_type.PPTX,
    ".docx": media_type.DOCX,
    ".xlsx": media_type.XLSX,
    ".odp": media_type.ODP,
    ".png": media_type.PNG,
    ".mp4": media_type.MP4,
    ".flac": media_type.FLAC,
    ".wav": media_type.WAV,
    ".vtt": media_type.VTT,
    ".html": media_type.HTML,
    ".xml": media_type.XML,
    ".json": media_type.JSON,
    ".md": media_type.TEXT,
}


@needs_shared
def test_the_fixtures_are_what_their_names_say() -> None:
    wrong = {
        path.name: sniff(path)
        for path in FIXTURES.glob("*/*")
        if path.suffix in EXTENSIONS and sniff(path) != EXTENSIONS[path.suffix]
    }
    assert wrong == {}
