"""The pages of an open PDF, for every extraction method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.processing.pages.page import Page, PageNotDrawn
from common.processing.pdf.document import PageText, PdfDocument

if TYPE_CHECKING:
    from PIL.Image import Image

DRAWN_PIXELS = 25_000_000  # a sheet of A1 at 150 dpi has 17 million; more shows nothing new


@dataclass(frozen=True, kw_only=True)
class PdfPages:
    document: PdfDocument
    max_pixels: int

    def native(self, numbers: Iterable[int]) -> Iterator[Page]:
        for first, last in _runs(numbers):
            yield from map(_page, self.document.pages(first, last))

    def picture(self, number: int, *, dpi: int) -> Image:
        import pypdfium2

        try:
            return self.document.render(number, max_pixels=min(self.max_pixels, DRAWN_PIXELS), dpi=dpi)
        except pypdfium2.PdfiumError as error:
            raise PageNotDrawn(f"Page {number} is damaged and cannot be drawn.") from error


def _page(page: PageText) -> Page:
    return Page(number=page.number, text=page.text, markdown=page.markdown, warnings=page.warnings)


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbours: the engine reads those in one go."""
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = number
        elif number != last + 1:
            yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last
