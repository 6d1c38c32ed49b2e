"""A PDF file, opened: its pages as Markdown one by one, the whole document, and pictures of its pages."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pypdfium2
import pypdfium2.raw as raw

from common.errors import EncryptedFile, UnsupportedFile
from common.media_type import sniff
from common.processing.base import Warning
from common.processing.pdf.bookmarks import read_bookmarks
from common.processing.pdf.headings import Styles
from common.processing.pdf.joins import join_pages
from common.processing.pdf.layout import PageLayout, document_styles, page_blocks
from common.processing.pdf.markdown import render
from common.processing.pdf.reader import read_page

if TYPE_CHECKING:
    from PIL.Image import Image

HEADER_BYTES = 1024  # where a PDF header may stand: readers accept some bytes before it
SAMPLE_PAGES = 12  # pages that tell what is usual in a document
REACH = 2  # pages before and after that are searched for running heads: left and right differ
LANGUAGE_LETTERS = 40  # more than any language tag has
GARBLED = 0.3  # share of letters without meaning from which a text layer is useless
UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True, kw_only=True)
class PageText:
    """One page: its words alone, and as Markdown."""

    number: int
    text: str
    markdown: str
    warnings: tuple[Warning, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PdfInfo:
    """What a file says about itself."""

    pages: int
    title: str = ""
    author: str = ""
    producer: str = ""
    language: str = ""
    tagged: bool = False


def open_document(path: Path, *, max_pages: int) -> PdfDocument:
    """Open a PDF by its content, whatever its name."""
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
    if not head:
        raise UnsupportedFile("The file is empty: expected a PDF.")
    if b"%PDF-" not in head:
        raise UnsupportedFile(f"Expected a PDF, found {sniff(path)}.")
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise _refusal(error, path) from error
    pages = len(document)
    if pages == 0:
        document.close()
        raise UnsupportedFile("Expected a PDF with at least one page, found one that has no pages.")
    if pages > max_pages:
        document.close()
        raise UnsupportedFile(
            f"The PDF has {pages} pages; at most {max_pages} are processed.",
            details={"pages": pages, "max_pages": max_pages},
        )
    return PdfDocument(document)


def _refusal(error: pypdfium2.PdfiumError, path: Path) -> EncryptedFile | UnsupportedFile:
    # PDFium keeps the code of an earlier failure, so the file itself must agree that it is encrypted.
    if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY) and b"/Encrypt" in path.read_bytes():
        return EncryptedFile("The PDF is encrypted and needs a password to be opened.")
    return UnsupportedFile(
        "Expected a PDF with at least one page, found one that is damaged beyond repair or has no pages.",
        details={"reason": str(error)},
    )


class PdfDocument:
    """An open PDF. Not safe to share between threads, as PDFium is not."""

    def __init__(self, document: pypdfium2.PdfDocument) -> None:
        self._document = document
        self.info = _info(document)
        self._bookmarks = read_bookmarks(document)
        self._styles: Styles | None = None
        self._sample: dict[int, PageLayout] = {}
        self._recent: dict[int, PageLayout] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._sample.clear()
        self._recent.clear()
        self._document.close()

    def pages(self, first: int = 1, last: int | None = None) -> Iterator[PageText]:
        """Page after page; only a few are in memory at any time."""
        styles = self._document_styles()
        end = min(last or self.info.pages, self.info.pages)
        for number in range(max(first, 1), end + 1):
            yield self._page_text(number, styles)

    def markdown(self, pages: Sequence[PageText]) -> str:
        """The pages as one document: what a page break cut is joined."""
        return join_pages([page.markdown for page in pages])

    def render(self, number: int, *, max_pixels: int, dpi: int) -> Image:
        """A picture of a page at `dpi`, or smaller where it would have more than `max_pixels`."""
        page = self._document[number - 1]
        try:
            width, height = page.get_size()
            bitmap = page.render(scale=fitting_scale(width, height, dpi / 72, max_pixels))
            try:
                picture: Image = bitmap.to_pil()
                return picture.copy()  # the original lives in the bitmap's memory
            finally:
                bitmap.close()
        finally:
            page.close()

    def _page_text(self, number: int, styles: Styles) -> PageText:
        page = self._layout(number)
        warning = _ocr_warning(page)
        if warning is not None:
            return PageText(number=number, text="", markdown="", warnings=(warning,))
        near = range(max(1, number - REACH), min(self.info.pages, number + REACH) + 1)
        neighbours = [self._layout(other).prints for other in near if other != number]
        blocks = page_blocks(page, neighbours=neighbours, styles=styles)
        text = page.spans.text.replace("\ufffe", "-\n").replace("\r\n", "\n").strip()
        return PageText(number=number, text=text, markdown=render(blocks))

    def _document_styles(self) -> Styles:
        if self._styles is None:
            count = self.info.pages
            step = max(count / SAMPLE_PAGES, 1.0)
            numbers = sorted({int(index * step) + 1 for index in range(min(SAMPLE_PAGES, count))})
            self._sample = {number: self._read(number) for number in numbers}
            self._styles = document_styles(list(self._sample.values()))
        return self._styles

    def _layout(self, number: int) -> PageLayout:
        page = self._sample.get(number) or self._recent.get(number)
        if page is None:
            page = self._read(number)
            self._recent[number] = page
            while len(self._recent) > 2 * REACH + 2:
                del self._recent[next(iter(self._recent))]
        return page

    def _read(self, number: int) -> PageLayout:
        handle = raw.FPDF_LoadPage(self._document, number - 1)
        if not handle:
            return PageLayout.empty(number)
        try:
            spans = read_page(self._document, handle, number, tagged=self.info.tagged)
            return PageLayout(spans, self._bookmarks.get(number, ()))
        finally:
            raw.FPDF_ClosePage(handle)


def fitting_scale(width: float, height: float, scale: float, max_pixels: int) -> float:
    """`scale`, or the largest below it whose picture has no more than `max_pixels`; sides are rounded up."""
    pixels = width * height * scale * scale
    if pixels > max_pixels:
        scale *= (max_pixels / pixels) ** 0.5
    while ceil(width * scale) * ceil(height * scale) > max_pixels and ceil(max(width, height) * scale) > 1:
        scale *= 0.99
    return scale


def _info(document: pypdfium2.PdfDocument) -> PdfInfo:
    meta: dict[str, Any] = document.get_metadata_dict()
    return PdfInfo(
        pages=len(document),
        title=str(meta.get("Title") or "").strip(),
        author=str(meta.get("Author") or "").strip(),
        producer=str(meta.get("Producer") or "").strip(),
        language=_language(document),
        tagged=bool(raw.FPDFCatalog_IsTagged(document)),
    )


def _language(document: pypdfium2.PdfDocument) -> str:
    letters = (ctypes.c_ushort * LANGUAGE_LETTERS)()
    size = raw.FPDFCatalog_GetLanguage(document, letters, ctypes.sizeof(letters))
    if not 2 < size <= ctypes.sizeof(letters):
        return ""
    return bytes(letters)[: size - 2].decode("utf-16-le", "replace")


def _ocr_warning(page: PageLayout) -> Warning | None:
    """Nothing to read although something is drawn, or letters without meaning."""
    letters = "".join(page.spans.text.split())
    if not letters:
        if not page.spans.has_graphics:
            return None
        message = f"Page {page.number} has no text layer; it can only be read by OCR."
        return Warning(code="OCR_NEEDED", message=message, page=page.number)
    if len(UNREADABLE.findall(letters)) > GARBLED * len(letters):
        message = f"The text layer of page {page.number} is garbled; it can only be read by OCR."
        return Warning(code="OCR_NEEDED", message=message, page=page.number)
    return None
