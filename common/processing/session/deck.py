"""One attachment of a session, page by page: its text and a picture of each slide. Whatever was done for
the same bytes before is taken from the cache, so that a job that hands over never does a page twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from common import media_type
from common.errors import UnsupportedFile
from common.processing.base import Cache, Context, HandOver, SourceFile, StoredFile, Warning
from common.processing.office.convert import is_office, to_markdown, to_pdf

if TYPE_CHECKING:
    from PIL.Image import Image

    from common.processing.pdf.document import PdfDocument

CACHE_KIND, CACHE_METHOD = "slides", "native"
HAND_OVER_SECONDS = 20.0  # what a run keeps for storing what it has before its time limit
PICTURE_DPI = 300  # slides are small sheets; the number of pixels is what limits a picture
PICTURE_PIXELS = 1_500_000
MAX_PICTURES = 300  # of one attachment: a book is not shown page by page
MAX_TEXT_BYTES = 5 * 1024**2

_PRESENTATIONS = (media_type.PPTX, media_type.PPT, media_type.ODP)
_TEXTS = (media_type.TEXT, media_type.VTT, media_type.SRT)

Report = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class DeckPage:
    """One slide or page; both files are in the cache."""

    markdown: str
    text_file: StoredFile
    picture: StoredFile | None = None


@dataclass(frozen=True, kw_only=True)
class Deck:
    pages: tuple[DeckPage, ...]
    warnings: tuple[Warning, ...] = ()


def read_deck(source: SourceFile, context: Context, *, use_cache: bool, report: Report) -> Deck:
    reader = _Reader(source, context, use_cache=use_cache, report=report)
    if source.media_type == media_type.PDF:
        return reader.pdf()
    if is_office(source.media_type):
        return reader.office()
    if source.media_type in _TEXTS:
        return reader.text()
    raise UnsupportedFile(
        f"{source.name!r} is {source.media_type}; expected a PDF, an Office document or a text.",
        details={"media_type": source.media_type},
    )


class _Reader:
    def __init__(self, source: SourceFile, context: Context, *, use_cache: bool, report: Report) -> None:
        self._source = source
        self._context = context
        self._report = report
        self._cache: Cache = context.cache(CACHE_KIND, source.sha256, CACHE_METHOD)
        self._known = self._cache.names() if use_cache or context.checkpoint else {}

    def pdf(self) -> Deck:
        from common.processing.pdf.document import open_document

        pages: list[DeckPage] = []
        without_text = 0
        with open_document(self._source.path, max_pages=self._context.limits.pages) as document:
            for number in self._numbers(document.info.pages):
                markdown, text_file = self._pdf_text(document, number)
                without_text += not markdown.strip()
                pages.append(
                    DeckPage(markdown=markdown, text_file=text_file, picture=self._picture(document, number))
                )
        return Deck(pages=tuple(pages), warnings=(*self._no_text(without_text), *self._too_many(len(pages))))

    def office(self) -> Deck:
        """The text directly, as no conversion keeps notes and levels; pictures through LibreOffice."""
        document = to_markdown(self._source, limits=self._context.limits, scratch=self._context.scratch)
        pictures: list[StoredFile | None] = [None] * len(document.pages)
        warnings = list(document.warnings)
        if self._source.media_type in _PRESENTATIONS:
            try:
                pictures = self._converted_pictures(len(document.pages))
            except UnsupportedFile as error:
                warnings.append(Warning(code=error.code, message=error.message))
        pages = [
            DeckPage(markdown=page, text_file=self._text_file(number, page), picture=picture)
            for number, (page, picture) in enumerate(zip(document.pages, pictures, strict=True), 1)
        ]
        return Deck(pages=tuple(pages), warnings=tuple(warnings))

    def text(self) -> Deck:
        with self._source.path.open("rb") as file:
            text = file.read(MAX_TEXT_BYTES).decode("utf-8", errors="replace")
        return Deck(pages=(DeckPage(markdown=text, text_file=self._text_file(1, text)),))

    def _numbers(self, total: int) -> Iterator[int]:
        for number in range(1, total + 1):
            self._report(number - 1, total)
            if self._context.progress.seconds_left() < HAND_OVER_SECONDS:
                raise HandOver({"attachment": self._source.sha256, "page": number})
            yield number

    def _pdf_text(self, document: PdfDocument, number: int) -> tuple[str, StoredFile]:
        record = f"page_{number:03}.json"
        if record in self._known and _text_name(number) in self._known:
            markdown: str = json.loads(self._cache.read(record))["markdown"]
            return markdown, self._known[_text_name(number)]
        page = next(document.pages(number, number))
        self._cache.write(record, json.dumps({"markdown": page.markdown}).encode(), "application/json")
        return page.markdown, self._text_file(number, page.text)

    def _text_file(self, number: int, text: str) -> StoredFile:
        known = self._known.get(_text_name(number))
        return known or self._cache.write(_text_name(number), text.encode(), "text/plain; charset=utf-8")

    def _picture(self, document: PdfDocument, number: int) -> StoredFile | None:
        if number > MAX_PICTURES:
            return None
        known = self._known.get(_picture_name(number))
        if known is not None:
            return known
        pixels = min(PICTURE_PIXELS, self._context.limits.image_pixels)
        picture = document.render(number, max_pixels=pixels, dpi=PICTURE_DPI)
        return self._cache.write(_picture_name(number), _png(picture), "image/png")

    def _converted_pictures(self, wanted: int) -> list[StoredFile | None]:
        names = [_picture_name(number) for number in range(1, min(wanted, MAX_PICTURES) + 1)]
        if not all(name in self._known for name in names):
            self._render_converted()
        return [self._known.get(_picture_name(number)) for number in range(1, wanted + 1)]

    def _render_converted(self) -> None:
        from common.processing.pdf.document import open_document

        converted = to_pdf(self._source.path, self._context.scratch, limits=self._context.limits)
        with open_document(converted, max_pages=self._context.limits.pages) as document:
            for number in self._numbers(document.info.pages):
                picture = self._picture(document, number)
                if picture is not None:
                    self._known[_picture_name(number)] = picture

    def _no_text(self, pages: int) -> tuple[Warning, ...]:
        if not pages:
            return ()
        message = f"{self._source.name!r}: {pages} pages have no readable text layer; only OCR can read them."
        return (Warning(code="OCR_NEEDED", message=message),)

    def _too_many(self, pages: int) -> tuple[Warning, ...]:
        if pages <= MAX_PICTURES:
            return ()
        message = (
            f"{self._source.name!r} has {pages} pages; only the first {MAX_PICTURES} are shown as pictures."
        )
        return (Warning(code="PICTURES_SKIPPED", message=message),)


def _png(picture: Image) -> bytes:
    target = BytesIO()
    picture.convert("RGB").save(target, "PNG")
    return target.getvalue()


def _text_name(number: int) -> str:
    return f"page_{number:03}.txt"


def _picture_name(number: int) -> str:
    return f"slide_{number:03}.png"
