"""A picture file, opened: measured before a pixel is decoded, its pages given out one by one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from common import media_type
from common.errors import SecretaryError, UnsupportedFile
from common.processing.base import Limits, SourceFile, Warning
from common.processing.ocr.preparation import flatten, stated_dpi
from common.processing.pages.page import OCR_NEEDED, Page

if TYPE_CHECKING:
    from PIL.Image import Image

# By the bytes of the file: no other decoder of the library is ever tried on it.
FORMATS = {
    media_type.JPEG: "JPEG",
    media_type.PNG: "PNG",
    media_type.TIFF: "TIFF",
    media_type.WEBP: "WEBP",
    media_type.HEIC: "HEIF",
    media_type.AVIF: "AVIF",
    media_type.GIF: "GIF",
    media_type.BMP: "BMP",
}


class PictureFile:
    """The pages of a TIFF; one page for every other format, whose further frames are animation."""

    def __init__(self, image: Image, *, limits: Limits, name: str) -> None:
        self._image = image
        self._limits = limits
        self._name = name
        self._check_size()
        self.pages = self._count() if image.format == "TIFF" else 1

    def native(self, numbers: Iterable[int]) -> Iterator[Page]:
        """A picture has no text layer."""
        for number in numbers:
            needed = Warning(code=OCR_NEEDED, message=f"Page {number} is a picture.", page=number)
            yield Page(number=number, warnings=(needed,))

    def picture(self, number: int, *, dpi: int) -> Image:
        """As it is; `dpi` is for documents that are drawn."""
        with _refusals(self._name, self._limits):
            self._image.seek(number - 1)
            self._check_size()
            resolution = stated_dpi(self._image)
            flat = flatten(self._image)
        flat.info = {"dpi": (resolution, resolution)} if resolution else {}
        return flat

    def _count(self) -> int:
        """Page by page: what a header says of their number is not believed."""
        pages = 1
        with _refusals(self._name, self._limits):
            while self._has_page(pages):
                pages += 1
                if pages > self._limits.pages:
                    raise UnsupportedFile(f"{self._name!r} has more than {self._limits.pages} pages.")
            self._image.seek(0)
        return pages

    def _has_page(self, index: int) -> bool:
        try:
            self._image.seek(index)
        except EOFError:
            return False
        self._check_size()
        return True

    def _check_size(self) -> None:
        width, height = self._image.size
        if width * height > self._limits.image_pixels:
            raise _too_many_pixels(self._name, self._limits, f"{width} x {height}")


@contextmanager
def open_picture(source: SourceFile, *, limits: Limits) -> Iterator[PictureFile]:
    expected = _expected_format(source)
    with _refusals(source.name, limits):
        image = _open(source.path, expected)
    with image:
        yield PictureFile(image, limits=limits, name=source.name)


def _expected_format(source: SourceFile) -> str:
    kind = source.media_type
    if kind == media_type.EMPTY:
        raise UnsupportedFile(f"{source.name!r} is empty: expected a picture.")
    if kind not in FORMATS:
        known = ", ".join(sorted(set(FORMATS.values())))
        raise UnsupportedFile(
            f"{source.name!r} is {kind}; expected a picture ({known}).", details={"media_type": kind}
        )
    if kind == media_type.HEIC:
        _register_heif(source.name)
    return FORMATS[kind]


def _register_heif(name: str) -> None:
    """The decoder is no dependency of ours: it links to libraries under the GPL."""
    try:
        import pillow_heif
    except ImportError:
        raise UnsupportedFile(
            f"{name!r} is a HEIC picture, and no decoder for it is installed here. Install pillow-heif,"
            " or hand it in as JPEG.",
            details={"media_type": media_type.HEIC, "missing": "pillow-heif"},
        ) from None
    pillow_heif.register_heif_opener()


def _open(path: Path, expected: str) -> Image:
    import PIL.Image

    return PIL.Image.open(path, formats=[expected])


@contextmanager
def _refusals(name: str, limits: Limits) -> Iterator[None]:
    """Our own limit in the place of the library's, and one error for all the ways a decoder can fail."""
    import PIL.Image

    pillow = PIL.Image
    before = pillow.MAX_IMAGE_PIXELS
    pillow.MAX_IMAGE_PIXELS = limits.image_pixels
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            yield
    except SecretaryError:
        raise
    except (pillow.DecompressionBombWarning, pillow.DecompressionBombError) as error:
        raise _too_many_pixels(name, limits, "more") from error
    except MemoryError:
        raise
    except Exception as error:
        raise UnsupportedFile(
            f"{name!r} is damaged or uses a form of its format that cannot be read.",
            details={"reason": f"{type(error).__name__}: {error}"[:200]},
        ) from error
    finally:
        pillow.MAX_IMAGE_PIXELS = before


def _too_many_pixels(name: str, limits: Limits, found: str) -> UnsupportedFile:
    return UnsupportedFile(
        f"{name!r} has too many pixels: expected at most {limits.image_pixels}, found {found}.",
        details={"max_pixels": limits.image_pixels},
    )
