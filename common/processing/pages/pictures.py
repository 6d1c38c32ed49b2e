"""Pictures of pages, made once for a document: `image_###.jpg` to look at, `preview_###.jpg` to browse."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from common.processing.base import Cache, Context, StoredFile, Warning
from common.processing.pages.page import PagedSource, PageNotDrawn

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGE_DPI = 150
IMAGE_QUALITY = 85
PREVIEW_DPI = 40
PREVIEW_PIXELS = 480  # the longer side
PREVIEW_QUALITY = 75
PREVIEWS_ARCHIVE = "previews.zip"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # no real time, so that equal previews give equal archives


@dataclass(frozen=True, kw_only=True)
class PagePictures:
    """Which pictures are wanted, and those there are."""

    source: PagedSource
    context: Context
    cache: Cache
    kept: Mapping[str, StoredFile]
    images: bool
    previews: bool
    image_paths: dict[int, str] = field(default_factory=dict)  # by the number of the page
    preview_paths: dict[int, str] = field(default_factory=dict)
    warnings: list[Warning] = field(default_factory=list)

    def make(self, number: int) -> int:
        """How many had to be drawn."""
        drawn = 0
        try:
            if self.images:
                drawn += self._make("image", number, self.image_paths, self._image)
            if self.previews:
                drawn += self._make("preview", number, self.preview_paths, self._preview)
        except PageNotDrawn as error:
            self.warnings.append(error.warning(number))
        return drawn

    def pack_previews(self, *, is_whole: bool) -> str:
        """All previews in one file; it is shared with other jobs if it is of the whole document."""
        target = self.context.scratch / PREVIEWS_ARCHIVE
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            for path in self.preview_paths.values():
                name = path.rpartition("/")[2]
                archive.writestr(zipfile.ZipInfo(name, date_time=EARLIEST), self.context.files.read(path))
        if not is_whole:
            return self.context.files.write(PREVIEWS_ARCHIVE, target, "application/zip").path
        stored = self.cache.write(PREVIEWS_ARCHIVE, target, "application/zip")
        return self.context.files.adopt(PREVIEWS_ARCHIVE, stored).path

    def _make(self, kind: str, number: int, paths: dict[int, str], draw: Callable[[int], bytes]) -> bool:
        name = f"{kind}_{number:03}.jpg"
        stored = self.kept.get(name)
        is_new = stored is None
        if stored is None:
            stored = self.cache.write(name, draw(number), "image/jpeg")
        paths[number] = self.context.files.adopt(f"{kind}s/{name}", stored).path
        return is_new

    def _image(self, number: int) -> bytes:
        return as_jpeg(self.source.picture(number, dpi=IMAGE_DPI), quality=IMAGE_QUALITY)

    def _preview(self, number: int) -> bytes:
        picture = self.source.picture(number, dpi=PREVIEW_DPI)
        return as_jpeg(picture, quality=PREVIEW_QUALITY, longest_side=PREVIEW_PIXELS)


def as_jpeg(picture: Image, *, quality: int, longest_side: int | None = None) -> bytes:
    from common.processing.ocr.preparation import flatten

    flat = flatten(picture)
    if longest_side:
        flat.thumbnail((longest_side, longest_side))
    target = io.BytesIO()
    flat.save(target, "JPEG", quality=quality)
    return target.getvalue()
