"""What every reader of an office format gives back, and where it puts pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from common.media_type import BMP, GIF, JPEG, PNG, TIFF, WEBP, sniff_binary
from common.processing.base import Warning

# Given a name, the bytes and their type, stores a picture and answers how Markdown links to it.
AssetWriter = Callable[[str, bytes, str], str]

_EXTENSIONS = {JPEG: "jpg", PNG: "png", GIF: "gif", BMP: "bmp", TIFF: "tiff", WEBP: "webp"}


@dataclass(frozen=True, kw_only=True)
class OfficeDocument:
    """A document as Markdown; `pages` are its slides or sheets, or the one text."""

    markdown: str
    pages: tuple[str, ...]
    title: str = ""
    assets: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[Warning, ...] = ()


class Pictures:
    """The pictures of one document: each stored once, named in order, only if it really is one."""

    def __init__(self, write: AssetWriter | None) -> None:
        self._write = write
        self._links: dict[str, str] = {}
        self._skipped = 0

    def add(self, data: bytes, alt: str = "") -> str:
        """Markdown that shows the picture; empty if pictures are not asked for or it is none."""
        if self._write is None:
            return ""
        media_type = sniff_binary(data[:64]) or ""
        if media_type not in _EXTENSIONS:
            self._skipped += 1
            return ""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._links:
            name = f"image_{len(self._links) + 1:03d}.{_EXTENSIONS[media_type]}"
            self._links[digest] = self._write(name, data, media_type)
        label = " ".join(alt.replace("[", "(").replace("]", ")").split())
        return f"![{label}]({self._links[digest]})"

    @property
    def assets(self) -> tuple[str, ...]:
        return tuple(self._links.values())

    @property
    def warnings(self) -> tuple[Warning, ...]:
        if not self._skipped:
            return ()
        message = f"{self._skipped} pictures in vector or unknown formats (EMF, WMF, SVG …) were left out."
        return (Warning(code="PICTURES_SKIPPED", message=message),)
