"""A PDF as numbered pages: opened with care, read page by page, rendered within a pixel limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.errors import EncryptedFile, UnsupportedFile
from common.processing.base import Warning

if TYPE_CHECKING:
    from PIL.Image import Image

HEADER = b"%PDF-"
HEADER_WITHIN_BYTES = 1024  # where readers look for the header
PAGES_AT_ONCE = 20  # parsed together, so that memory stays flat over a long document
PASSWORD_ERROR = 4  # PDFium's FPDF_ERR_PASSWORD
POINTS_PER_INCH = 72


@dataclass(frozen=True, kw_only=True)
class PageText:
    """What one page says, as plain text and as Markdown."""

    number: int
    text: str
    markdown: str
    warnings: tuple[Warning, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PdfInfo:
    """What a document says about itself."""

    pages: int
    title: str = ""
    author: str = ""
    producer: str = ""
    language: str = ""


class PdfDocument:
    """An open document. PDFium is not thread-safe: one process, one document at a time."""

    def __init__(self, path: Path, document: Any, info: PdfInfo) -> None:
        self._path = path
        self._document = document
        self.info = info

    def pages(self, first: int = 1, last: int | None = None) -> Iterator[PageText]:
        end = min(last or self.info.pages, self.info.pages)
        for start in range(first, end + 1, PAGES_AT_ONCE):
            numbers = range(start, min(start + PAGES_AT_ONCE, end + 1))
            markdown = self._markdown(numbers)
            for number in numbers:
                yield self._page(number, markdown.get(number, ""))

    def markdown(self, pages: Sequence[PageText]) -> str:
        return "\n\n".join(page.markdown.strip() for page in pages if page.markdown.strip()) + "\n"

    def render(self, number: int, *, max_pixels: int, dpi: int) -> Image:
        page = self._document[number - 1]
        try:
            width, height = page.get_size()
            scale = dpi / POINTS_PER_INCH
            pixels = width * scale * height * scale
            scale *= math.sqrt(max_pixels / pixels) if pixels > max_pixels else 1.0
            bitmap = page.render(scale=scale)
            try:
                picture: Image = bitmap.to_pil().convert("RGB")
            finally:
                bitmap.close()
            return picture
        finally:
            page.close()

    def _markdown(self, numbers: range) -> dict[int, str]:
        from liteparse import LiteParse, ParseError

        wanted = f"{numbers[0]}-{numbers[-1]}"
        parser = LiteParse(
            ocr_enabled=False, image_mode="off", output_format="markdown", target_pages=wanted, quiet=True,
            num_workers=1, continue_on_page_error=True,
        )  # fmt: skip
        try:
            return {page.page_num: page.markdown or "" for page in parser.parse(self._path).pages}
        except ParseError:
            return {}  # PDFium still reads the text of what this parser refuses
        finally:
            parser.close()

    def _page(self, number: int, markdown: str) -> PageText:
        text = self._text(number)
        if not text.strip():
            warning = Warning(
                code="OCR_NEEDED", message=f"Page {number} has no text layer; it needs OCR.", page=number
            )
            return PageText(number=number, text="", markdown="", warnings=(warning,))
        empty = not markdown.replace("`", "").replace("text", "").strip()
        return PageText(number=number, text=text, markdown=text if empty else markdown)

    def _text(self, number: int) -> str:
        page = self._document[number - 1]
        try:
            text_page = page.get_textpage()
            try:
                text: str = text_page.get_text_bounded()
            finally:
                text_page.close()
        finally:
            page.close()
        return text.replace("\r\n", "\n").replace("\x00", "").replace("\ufffe", "-")


@contextmanager
def open_document(path: Path, *, max_pages: int) -> Iterator[PdfDocument]:
    """Raises UnsupportedFile or EncryptedFile with what was expected and found."""
    import pypdfium2

    with path.open("rb") as file:
        head = file.read(HEADER_WITHIN_BYTES)
    if HEADER not in head:
        found = "an empty file" if not head else f"a file that starts with {head[:8]!r}"
        raise UnsupportedFile(f"Expected a PDF, found {found}.")
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD_ERROR:
            raise EncryptedFile("The PDF needs a password to be opened.") from None
        raise UnsupportedFile(f"The PDF is damaged beyond repair: {error}") from None
    try:
        yield PdfDocument(path, document, _info(document, max_pages))
    finally:
        document.close()


def _info(document: Any, max_pages: int) -> PdfInfo:
    pages = len(document)
    if pages == 0:
        raise UnsupportedFile("The PDF has no pages.")
    if pages > max_pages:
        raise UnsupportedFile(f"The PDF has {pages} pages; at most {max_pages} are allowed.")
    told = document.get_metadata_dict(skip_empty=True)
    return PdfInfo(
        pages=pages,
        title=told.get("Title", ""),
        author=told.get("Author", ""),
        producer=told.get("Producer", ""),
    )
