"""Says what a file is by its bytes: a name or a header of the sender is never believed."""

from __future__ import annotations

import codecs
import json
import re
import struct
import zipfile
from pathlib import Path

from common.errors import SecretaryError
from common.zip_directory import open_checked, read_entry

EMPTY = "application/x-empty"
UNKNOWN = "application/octet-stream"
PDF = "application/pdf"
ZIP = "application/zip"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
ODT = "application/vnd.oasis.opendocument.text"
ODP = "application/vnd.oasis.opendocument.presentation"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
EPUB = "application/epub+zip"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
XLS = "application/vnd.ms-excel"
OLE = "application/x-ole-storage"
# Word, Excel and PowerPoint wrap a document with a password into an OLE file of this one stream.
OLE_ENCRYPTED = "application/x-ole-encrypted-package"
RTF = "application/rtf"
JPEG = "image/jpeg"
PNG = "image/png"
TIFF = "image/tiff"
WEBP = "image/webp"
HEIC = "image/heic"
AVIF = "image/avif"
GIF = "image/gif"
BMP = "image/bmp"
SVG = "image/svg+xml"
MP4 = "video/mp4"
QUICKTIME = "video/quicktime"
WEBM = "video/webm"
MATROSKA = "video/x-matroska"
AVI = "video/x-msvideo"
OGG_VIDEO = "video/ogg"
OGG_AUDIO = "audio/ogg"
MP3 = "audio/mpeg"
AAC = "audio/aac"
M4A = "audio/mp4"
WAV = "audio/wav"
FLAC = "audio/flac"
HTML = "text/html"
XML = "application/xml"
JSON = "application/json"
VTT = "text/vtt"
SRT = "application/x-subrip"
TEXT = "text/plain"

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 2 * 1024
# A reader may skip up to this much before the PDF header (ISO 32000-2, annex I).
PDF_HEADER_WITHIN_BYTES = 1024
WHOLE_JSON_BYTES = 1024**2
CONTENT_TYPES_BYTES = 1024**2
OLE_DIRECTORY_BYTES = 64 * 1024

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", PDF),
    (b"\xff\xd8\xff", JPEG),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
    (b"II+\x00", TIFF),
    (b"MM\x00+", TIFF),
    (b"fLaC", FLAC),
    (b"ID3", MP3),
    (b"{\\rtf", RTF),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
)
_RIFF_FORMS = {b"WAVE": WAV, b"AVI ": AVI, b"WEBP": WEBP}
_BMP_HEADER_BYTES = {12, 16, 40, 52, 56, 64, 108, 124}
_HEIC_BRANDS = {b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"}
_AVIF_BRANDS = {b"avif", b"avis"}
_M4A_BRANDS = {b"M4A ", b"M4B ", b"M4P "}
# The main part's content type; templates, shows and macro files read like the plain document.
_OOXML_MAIN_PART = re.compile(
    rb"(wordprocessingml|presentationml|spreadsheetml|ms-word|ms-powerpoint|ms-excel)"
    rb"\.(?:document|template|presentation|slideshow|sheet|addin)(\.binary)?"
    rb"(?:\.macroEnabled(?:Template)?)?\.main(?:\+xml)?[\"']",
    re.IGNORECASE,
)
_OOXML_FAMILIES = {
    b"wordprocessingml": DOCX,
    b"ms-word": DOCX,
    b"presentationml": PPTX,
    b"ms-powerpoint": PPTX,
    b"spreadsheetml": XLSX,
    b"ms-excel": XLSX,
}
_OPEN_DOCUMENT = {ODT, ODP, ODS}
_OLE_STREAMS: tuple[tuple[str, str], ...] = (
    ("EncryptedPackage", OLE_ENCRYPTED),
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
    ("Workbook", XLS),
    ("Book", XLS),
)
# A damaged file may have lost its header and start with an object.
_PDF_HEADER = re.compile(rb"%PDF-\d\.\d|\A\d+ \d+ obj\b")
_SRT_START = re.compile(r"\d+[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]+-->[ \t]")
_MARKUP_NOISE = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_HTML_START = re.compile(
    r"<(?:!doctype\s+html|html|head|title|body|meta|script|style|div|p|h[1-6]|table|article|main)[\s>/]",
    re.IGNORECASE,
)
_XML_START = re.compile(r"<(?:!doctype\s|[A-Za-z_][\w.:-]*[\s/>])", re.IGNORECASE)
_JSON_START = re.compile(r"\{\s*(?:\"|\}|$)|\[\s*(?:[\"\[{\]\d-]|true|false|null|$)")
_CONTROLS = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f]")


def sniff(path: Path) -> str:
    """The media type of a file; `EMPTY` or `UNKNOWN` rather than an error."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    if not head:
        return EMPTY
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _sniff_zip(path, head)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _sniff_ole(path, head)
    return sniff_binary(head) or _sniff_late_pdf(path, head) or _sniff_text(path, head) or UNKNOWN


def is_image(media_type: str) -> bool:
    return media_type.startswith("image/")


def is_audio(media_type: str) -> bool:
    return media_type.startswith("audio/")


def is_video(media_type: str) -> bool:
    return media_type.startswith("video/")


def sniff_binary(head: bytes) -> str | None:
    """The type of a picture, recording or PDF by its first bytes; None for anything else."""
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head.startswith(b"RIFF"):
        return _RIFF_FORMS.get(head[8:12])
    if head.startswith(b"BM") and len(head) >= 18:
        return BMP if struct.unpack_from("<I", head, 14)[0] in _BMP_HEADER_BYTES else None
    if head[4:8] == b"ftyp":
        return _sniff_iso_media(head)
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return WEBM if b"\x42\x82\x84webm" in head[:4096] else MATROSKA
    if head.startswith(b"OggS"):
        return OGG_VIDEO if b"theora" in head[:256] else OGG_AUDIO
    return _sniff_mpeg_audio(head)


def _sniff_iso_media(head: bytes) -> str:
    box_bytes = min(max(struct.unpack_from(">I", head)[0], 16), 256)
    brands = [head[at : at + 4] for at in (8, *range(16, box_bytes, 4))]
    major = brands[0]
    if major in _AVIF_BRANDS or (major in _HEIC_BRANDS and _AVIF_BRANDS.intersection(brands)):
        return AVIF
    if major in _HEIC_BRANDS:
        return HEIC
    if major in _M4A_BRANDS:
        return M4A
    return QUICKTIME if major == b"qt  " else MP4


def _sniff_mpeg_audio(head: bytes) -> str | None:
    """A frame header has 11 fixed bits only: the next frame must follow where this one ends."""
    first = _mpeg_frame(head, 0)
    if first is None:
        return None
    media_type, length = first
    follows = _mpeg_frame(head, length)
    return media_type if follows is not None and follows[0] == media_type else None


def _mpeg_frame(head: bytes, at: int) -> tuple[str, int] | None:
    """Media type and length in bytes of the audio frame that starts here."""
    if len(head) < at + 7 or head[at] != 0xFF or head[at + 1] & 0xE0 != 0xE0:
        return None
    version, layer = head[at + 1] >> 3 & 3, head[at + 1] >> 1 & 3
    if layer == 0 and head[at + 1] & 0xF0 == 0xF0:
        length = (head[at + 3] & 3) << 11 | head[at + 4] << 3 | head[at + 5] >> 5
        return (AAC, length) if length > 7 else None
    bit_rate, sample_rate, padding = head[at + 2] >> 4, head[at + 2] >> 2 & 3, head[at + 2] >> 1 & 1
    if version == 1 or layer != 1 or bit_rate in (0, 15) or sample_rate == 3:
        return None  # layer III only: nobody hands in layer I and II, and text looks like them
    mpeg1 = version == 3
    kilobits = (
        (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
        if mpeg1
        else (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
    )[bit_rate]
    hertz = (44_100, 48_000, 32_000)[sample_rate] >> {3: 0, 2: 1, 0: 2}[version]
    return MP3, (144 if mpeg1 else 72) * kilobits * 1000 // hertz + padding


def _sniff_zip(path: Path, head: bytes) -> str:
    try:
        with open_checked(path) as package:
            return _sniff_package(package)
    except SecretaryError:
        return _first_entry_type(head) or ZIP


def _sniff_package(package: zipfile.ZipFile) -> str:
    names = set(package.namelist())
    if "mimetype" in names:
        declared = read_entry(package, "mimetype", limit_bytes=256).strip().decode("ascii", "replace")
        return _package_type(declared) or ZIP
    if "[Content_Types].xml" not in names:
        return ZIP
    found = _OOXML_MAIN_PART.search(
        read_entry(package, "[Content_Types].xml", limit_bytes=CONTENT_TYPES_BYTES)
    )
    if found is None:
        return ZIP
    return XLSB if found[2] else _OOXML_FAMILIES[found[1].lower()]


def _first_entry_type(head: bytes) -> str | None:
    """An OpenDocument file names its type in its first, stored entry: readable even when truncated."""
    if head[30:38] != b"mimetype" or len(head) < 38:
        return None
    extra_bytes = struct.unpack_from("<H", head, 28)[0]
    declared = head[38 + extra_bytes : 38 + extra_bytes + 80]
    known = sorted((*_OPEN_DOCUMENT, EPUB), key=len, reverse=True)
    return next((name for name in known if declared.startswith(name.encode())), None)


def _package_type(declared: str) -> str | None:
    declared = declared.removesuffix("-template")
    return declared if declared in _OPEN_DOCUMENT or declared == EPUB else None


def _sniff_ole(path: Path, head: bytes) -> str:
    if len(head) < 76:
        return OLE
    sector_shift, first_sector = struct.unpack_from("<H", head, 30)[0], struct.unpack_from("<I", head, 48)[0]
    if sector_shift not in (9, 12):
        return OLE
    with path.open("rb") as stream:
        stream.seek((first_sector + 1) << sector_shift)
        directory = stream.read(OLE_DIRECTORY_BYTES)
    for stream_name, media_type in _OLE_STREAMS:
        if f"{stream_name}\0".encode("utf-16-le") in directory:
            return media_type
    return OLE


def _sniff_late_pdf(path: Path, head: bytes) -> str | None:
    """A PDF after some junk: its header alone could be a quotation, so its end must be there too."""
    if not _PDF_HEADER.search(head[: PDF_HEADER_WITHIN_BYTES + 8]):
        return None
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - TAIL_BYTES))
        tail = stream.read()
    return PDF if b"startxref" in tail or b"%%EOF" in tail else None


def _sniff_text(path: Path, head: bytes) -> str | None:
    text = _decode(head)
    if text is None:
        return None
    start = text.lstrip("\ufeff \t\r\n\f")
    if text.startswith(("WEBVTT", "\ufeffWEBVTT")):
        return VTT
    if _SRT_START.match(start):
        return SRT
    if start.startswith("<"):
        return _sniff_markup(start) or TEXT
    if start.startswith(("{", "[")) and _is_json(path, start):
        return JSON
    return TEXT


def _decode(head: bytes) -> str | None:
    """The text of a file's head, or None if it is not text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = codecs.getincrementaldecoder("utf-16")("replace").decode(head)
        return None if "\ufffd" in text or _CONTROLS.search(text) else text
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    return None if _CONTROLS.search(text) else text


def _sniff_markup(start: str) -> str | None:
    declared_xml = start.startswith("<?xml")
    noise = _MARKUP_NOISE.match(start)
    root = start[noise.end() :] if noise else start
    if _HTML_START.match(root):
        return HTML
    if re.match(r"<(?:!doctype\s+)?svg[\s>]", root, re.IGNORECASE):
        return SVG
    return XML if declared_xml or _XML_START.match(root) else None


def _is_json(path: Path, start: str) -> bool:
    if path.stat().st_size > WHOLE_JSON_BYTES:
        return _JSON_START.match(start[:4096]) is not None
    try:
        json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return True
