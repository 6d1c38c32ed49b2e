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
        for number in numbers:
            yield from map(_page, self.document.pages(number, number))

    def picture(self, number: int, *, dpi: int) -> Image:
        import pypdfium2

        try:
            return self.document.render(number, max_pixels=min(self.max_pixels, DRAWN_PIXELS), dpi=dpi)
        except pypdfium2.PdfiumError as error:
            raise PageNotDrawn(f"Page {number} is damaged and cannot be drawn.") from error


def _page(page: PageText) -> Page:
    return Page(number=page.number, text=page.text, markdown=page.markdown, warnings=page.warnings)
