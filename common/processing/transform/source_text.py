"""The text of a source, whatever it is: a page, a document, captions or plain text."""

from __future__ import annotations

from common import media_type
from common.errors import UnsupportedFile
from common.processing.base import Context, SourceFile, Warning
from common.processing.media.captions import parse_captions, to_text
from common.processing.office.convert import is_office, to_markdown

MAX_TEXT_BYTES = 20 * 1024**2

_PLAIN = (media_type.TEXT, media_type.XML, media_type.JSON)
_CAPTIONS = (media_type.VTT, media_type.SRT)


def source_text(source: SourceFile, context: Context) -> tuple[str, tuple[Warning, ...]]:
    kind = source.media_type
    if kind == media_type.HTML:
        from common.processing.session.page import read_page

        return read_page(_bytes(source), source.url or "").markdown, ()
    if kind == media_type.PDF:
        return _pdf_text(source, context)
    if is_office(kind):
        document = to_markdown(source, limits=context.limits, scratch=context.scratch)
        return document.markdown, document.warnings
    if kind in _CAPTIONS:
        return to_text(parse_captions(_bytes(source))), ()
    if kind in _PLAIN:
        return _bytes(source).decode("utf-8", errors="replace"), ()
    raise UnsupportedFile(
        f"{source.name!r} is {kind}; expected a text, a web page, a PDF or an Office document.",
        details={"media_type": kind},
    )


def _pdf_text(source: SourceFile, context: Context) -> tuple[str, tuple[Warning, ...]]:
    from common.processing.pdf.document import open_document

    with open_document(source.path, max_pages=context.limits.pages) as document:
        pages = []
        for page in document.pages():
            total = document.info.pages
            context.progress.report(f"processing_pages:{page.number}/{total}", 10 + 40 * page.number / total)
            pages.append(page)
        warnings = tuple(warning for page in pages for warning in page.warnings)
        return document.markdown(pages), warnings


def _bytes(source: SourceFile) -> bytes:
    if source.size > MAX_TEXT_BYTES:
        raise UnsupportedFile(
            f"{source.name!r} has {source.size} bytes; at most {MAX_TEXT_BYTES} of text are read."
        )
    return source.path.read_bytes()
