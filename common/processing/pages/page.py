"""One page that has been read, and its record in the cache."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from common.errors import UnsupportedFile
from common.processing.base import Warning

if TYPE_CHECKING:
    from PIL.Image import Image

OCR_NEEDED = "OCR_NEEDED"  # how a reader says that a page has no usable text


class PageNotDrawn(UnsupportedFile):
    """Raised when one page is too damaged for a picture; the others are none the worse for it."""

    def warning(self, number: int) -> Warning:
        return Warning(code="PAGE_NOT_DRAWN", message=self.message, page=number)


@dataclass(frozen=True, kw_only=True)
class Page:
    """What one page says."""

    number: int
    text: str = ""
    markdown: str = ""
    warnings: tuple[Warning, ...] = ()
    confidence: float | None = None  # 0–100, where OCR read it
    is_stand_in: bool = False  # made by a lesser method: delivered, but not kept for the next job

    @property
    def needs_ocr(self) -> bool:
        return any(warning.code == OCR_NEEDED for warning in self.warnings)


class PagedSource(Protocol):
    """A document whose pages can be read and looked at."""

    def native(self, numbers: Iterable[int]) -> Iterator[Page]:
        """The text layer of these pages, in their order."""
        ...

    def picture(self, number: int, *, dpi: int) -> Image:
        """Raises PageNotDrawn where there is nothing to see."""
        ...


def text_name(number: int) -> str:
    return f"page_{number:03}.txt"


def record_name(number: int) -> str:
    return f"page_{number:03}.json"


def as_record(page: Page) -> bytes:
    known = asdict(page) | {"version": _version()}
    return json.dumps(known, ensure_ascii=False).encode()


def from_record(record: bytes) -> Page | None:
    """None for what another version of the service has read: it may read better now."""
    known = json.loads(record)
    if known.pop("version", None) != _version():
        return None
    warnings = tuple(Warning(**item) for item in known.pop("warnings"))
    return Page(**known, warnings=warnings)


@lru_cache(maxsize=1)
def _version() -> str:
    return version("secretary")
