"""Job type `pdf`: pages in, page texts, Markdown and pictures out. Finished pages are never done twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from io import BytesIO
from pathlib import PurePosixPath

from common.clock import utc_now
from common.errors import UnsupportedFile
from common.names import safe_name
from common.processing.base import Cache, Context, HandOver, Result, SourceFile, StoredFile, Warning
from common.processing.pdf.document import PageText, PdfDocument, open_document
from common.processing.pdf.parameters import PdfParameters

HAND_OVER_SECONDS = 20.0  # what a run keeps for storing what it has before its time limit
PICTURE_DPI = 150
FIRST_PERCENT, LAST_PERCENT = 10.0, 90.0
ENGINES = ("liteparse", "pypdfium2")


def handle(parameters: PdfParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    context.progress.report("downloading_or_opening", 5)
    source = context.sources.fetch(
        url=parameters.url, upload_id=parameters.upload_id, file_path=parameters.file_path
    )
    cache = context.cache("pdf", source.sha256, parameters.extraction_method.value)
    with open_document(source.path, max_pages=context.limits.pages) as document:
        first, last = _range(parameters, document.info.pages)
        pages, from_cache = _read_pages(document, first, last, parameters, context, cache)
        context.progress.report("postprocessing", LAST_PERCENT)
        markdown = document.markdown(pages)
        stem = safe_name(PurePosixPath(source.name).stem, fallback="document")
        assets = _pictures(document, first, last, context, cache) if parameters.include_images else ()
        context.files.write(f"{stem}.md", markdown.encode(), "text/markdown")
        return Result(
            markdown=markdown,
            markdown_file=f"{stem}.md",
            page_texts=tuple(f"pages/{_page_name(page.number)}" for page in pages),
            assets=assets,
            archive_name=_archive_name(stem, parameters),
            metadata=_metadata(document, source, parameters),
            warnings=tuple(warning for page in pages for warning in page.warnings),
            is_from_cache=from_cache,
        )


def _range(parameters: PdfParameters, pages: int) -> tuple[int, int]:
    first, last = parameters.page_start or 1, min(parameters.page_end or pages, pages)
    if first > pages:
        raise UnsupportedFile(f"page_start is {first}, but the document has only {pages} pages.")
    return first, last


def _read_pages(
    document: PdfDocument, first: int, last: int, parameters: PdfParameters, context: Context, cache: Cache
) -> tuple[list[PageText], bool]:
    """From the cache where it has them; every new page goes there before the next one is read."""
    fresh = parameters.force_overwrite or not parameters.use_cache
    known = {} if fresh and not context.checkpoint else cache.names()
    total, pages, reused = last - first + 1, [], 0
    reading: Iterator[PageText] = iter(())
    for number in range(first, last + 1):
        done = number - first
        percent = FIRST_PERCENT + (LAST_PERCENT - FIRST_PERCENT) * done / total
        context.progress.report(f"processing_pages:{done + 1}/{total}", percent, done=done, total=total)
        if context.progress.seconds_left() < HAND_OVER_SECONDS:
            raise HandOver({"next_page": number})
        page = _cached_page(number, known, cache)
        reused += page is not None
        if page is None:
            page = next((page for page in reading if page.number == number), None)
            if page is None:  # the first missing page: from here on the document is read in one go
                reading = document.pages(number, last)
                page = next(reading)
            known[_page_name(number)] = cache.write(
                _page_name(number), page.text.encode(), "text/plain; charset=utf-8"
            )
            cache.write(_record_name(number), _record(page), "application/json")
        context.files.adopt(f"pages/{_page_name(number)}", known[_page_name(number)])
        pages.append(page)
    return pages, reused == total


def _cached_page(number: int, known: Mapping[str, StoredFile], cache: Cache) -> PageText | None:
    if _record_name(number) not in known or _page_name(number) not in known:
        return None
    record = json.loads(cache.read(_record_name(number)))
    warnings = tuple(Warning(**item) for item in record["warnings"])
    return PageText(number=number, text=record["text"], markdown=record["markdown"], warnings=warnings)


def _record(page: PageText) -> bytes:
    warnings = [{"code": item.code, "message": item.message, "page": item.page} for item in page.warnings]
    return json.dumps({"text": page.text, "markdown": page.markdown, "warnings": warnings}).encode()


def _pictures(
    document: PdfDocument, first: int, last: int, context: Context, cache: Cache
) -> tuple[str, ...]:
    known, paths = cache.names(), []
    for number in range(first, last + 1):
        name = f"image_{number:03}.jpg"
        stored = known.get(name)
        if stored is None:
            picture = document.render(number, max_pixels=context.limits.image_pixels, dpi=PICTURE_DPI)
            target = BytesIO()
            picture.save(target, "JPEG", quality=85)
            stored = cache.write(name, target.getvalue(), "image/jpeg")
        paths.append(context.files.adopt(f"images/{name}", stored).path)
        context.progress.report("postprocessing", LAST_PERCENT, f"picture {number}")
    return tuple(paths)


def _page_name(number: int) -> str:
    return f"page_{number:03}.txt"


def _record_name(number: int) -> str:
    return f"page_{number:03}.json"


def _archive_name(stem: str, parameters: PdfParameters) -> str | None:
    if not parameters.create_archive:
        return None
    return f"{stem}_images_{utc_now():%Y%m%d_%H%M%S}.zip" if parameters.include_images else f"{stem}.zip"


def _metadata(document: PdfDocument, source: SourceFile, parameters: PdfParameters) -> dict[str, object]:
    info = document.info
    return {
        "title": info.title,
        "author": info.author,
        "pages": info.pages,
        "producer": info.producer,
        "language": parameters.language or info.language,
        "sha256": source.sha256,
        "size": source.size,
        "extraction_method": parameters.extraction_method.value,
        "engines": {name: version(name) for name in ENGINES},
    }
