"""Office documents as Markdown, read directly; as PDF, and from legacy formats, through LibreOffice."""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import media_type
from common.errors import EncryptedFile, SecretaryError, UnsupportedFile
from common.processing.base import Limits, SourceFile
from common.processing.office.document import AssetWriter, OfficeDocument
from common.processing.office.libreoffice import CONVERT_SECONDS, convert
from common.processing.office.open_document import read_open_document
from common.processing.office.slides import read_slides
from common.processing.office.text_document import read_text_document
from common.processing.office.workbook import read_workbook
from common.zip_directory import ZipLimits, open_checked

_LEGACY = {media_type.DOC: "docx", media_type.PPT: "pptx", media_type.XLS: "xlsx", media_type.RTF: "docx"}
_OPEN_DOCUMENT = (media_type.ODT, media_type.ODP, media_type.ODS)
_PACKAGES = (media_type.DOCX, media_type.PPTX, media_type.XLSX, *_OPEN_DOCUMENT)


def is_office(kind: str) -> bool:
    return kind in _PACKAGES or kind in _LEGACY


def to_markdown(
    source: SourceFile,
    *,
    write_asset: AssetWriter | None = None,
    limits: Limits | None = None,
    scratch: Path | None = None,
) -> OfficeDocument:
    """Read a document. `write_asset` stores a picture and answers its link; None leaves pictures out."""
    limits = limits or Limits()
    if source.media_type in _LEGACY:
        return _legacy_to_markdown(source, write_asset, limits, scratch)
    refuse_unreadable(source.media_type, source.name)
    check_package(source.path, limits=limits)
    try:
        return _read(source, write_asset, limits)
    except (SecretaryError, MemoryError):
        raise
    except Exception as error:  # the readers of such files fail on damaged ones in many ways
        raise UnsupportedFile(
            f"{source.name!r} is damaged and cannot be read.",
            details={"reason": f"{type(error).__name__}: {error}"[:200]},
        ) from error


def _read(source: SourceFile, write_asset: AssetWriter | None, limits: Limits) -> OfficeDocument:
    path, unpacked_bytes = source.path, limits.unpacked_bytes
    if source.media_type == media_type.PPTX:
        return read_slides(path, write_asset=write_asset, pages_limit=limits.pages)
    if source.media_type == media_type.DOCX:
        return read_text_document(path, write_asset=write_asset, unpacked_bytes=unpacked_bytes)
    if source.media_type == media_type.XLSX:
        return read_workbook(path, write_asset=write_asset, unpacked_bytes=unpacked_bytes)
    return read_open_document(
        path, write_asset=write_asset, unpacked_bytes=unpacked_bytes, pages_limit=limits.pages
    )


def to_pdf(
    path: Path, target_folder: Path, *, timeout_seconds: float = CONVERT_SECONDS, limits: Limits | None = None
) -> Path:
    """The PDF in the target folder, named after the source."""
    kind = media_type.sniff(path)
    if kind not in _LEGACY:
        refuse_unreadable(kind, path.name)
        check_package(path, limits=limits or Limits())
    return convert(path, target_folder, kind=kind, extension="pdf", timeout_seconds=timeout_seconds)


def check_package(path: Path, *, limits: Limits) -> None:
    """Refuses a bomb before any library unpacks it."""
    open_checked(path, limits=ZipLimits(unpacked_bytes=limits.unpacked_bytes)).close()


def refuse_unreadable(kind: str, name: str) -> None:
    if kind == media_type.OLE_ENCRYPTED:
        raise EncryptedFile(f"{name!r} is protected by a password.")
    if kind == media_type.ZIP:
        message = f"{name!r} is a ZIP file, but no sound office document: truncated, damaged or over a limit."
        raise UnsupportedFile(message, details={"media_type": kind})
    if kind not in _PACKAGES:
        message = f"{name!r} is {kind}; expected .docx, .pptx, .xlsx, .odt, .odp or .ods."
        raise UnsupportedFile(message, details={"media_type": kind})


def _legacy_to_markdown(
    source: SourceFile, write_asset: AssetWriter | None, limits: Limits, scratch: Path | None
) -> OfficeDocument:
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        modern = convert(
            source.path,
            Path(folder),
            kind=source.media_type,
            extension=_LEGACY[source.media_type],
            timeout_seconds=CONVERT_SECONDS,
        )
        kind = media_type.sniff(modern)
        refuse_unreadable(kind, source.name)
        converted = SourceFile(
            path=modern, name=source.name, size=modern.stat().st_size, sha256=source.sha256, media_type=kind
        )
        return to_markdown(converted, write_asset=write_asset, limits=limits)
