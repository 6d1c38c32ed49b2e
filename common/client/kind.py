"""Which job type reads a file: decided by its bytes, and held against what its name claims."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from common import media_type
from common.errors import SourceNotFound, UnsupportedFile
from common.processing.image.picture import FORMATS
from common.processing.office.convert import is_office

# A name that claims one kind on bytes of another is an error somewhere: it is told, not guessed at.
CLAIMS = {
    "pdf": (".pdf",),
    "imageocr": (
        ".jpg",
        ".jpeg",
        ".png",
        ".tif",
        ".tiff",
        ".webp",
        ".heic",
        ".heif",
        ".avif",
        ".gif",
        ".bmp",
    ),
    "office": (".docx", ".pptx", ".xlsx", ".odt", ".odp", ".ods", ".doc", ".ppt", ".xls", ".rtf"),
    "audio": (".mp3", ".m4a", ".wav", ".flac", ".ogg", ".opus"),
    "video": (".mp4", ".mkv", ".webm", ".mov"),
}


def job_type_for(path: Path) -> str:
    if not path.is_file():
        raise SourceNotFound(f"There is no file {path.name!r}.")
    claimed = job_type_by_name(path.name)
    found = _by_bytes(media_type.sniff(path))
    if claimed is None:
        return found or "pdf"  # its reader says best what is wrong with a file nobody knows
    if found is not None and found != claimed:
        kind = media_type.sniff(path)
        raise UnsupportedFile(
            f"{path.name!r} is {kind}, which its name does not say; rename it to convert it."
        )
    return claimed


def job_type_by_name(name: str) -> str | None:
    """For what cannot be looked into yet, such as an address."""
    suffix = PurePosixPath(name).suffix.lower()
    return next((kind for kind, suffixes in CLAIMS.items() if suffix in suffixes), None)


def _by_bytes(kind: str) -> str | None:
    if kind == media_type.PDF:
        return "pdf"
    if kind in FORMATS:
        return "imageocr"
    if media_type.is_audio(kind) or media_type.is_video(kind):
        return "audio" if media_type.is_audio(kind) else "video"
    return "office" if is_office(kind) or kind == media_type.OLE_ENCRYPTED else None
