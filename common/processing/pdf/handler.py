"""Job type `pdf`: pages in, page texts, Markdown and pictures out. Finished pages are never done twice."""

from __future__ import annotations

from typing import Any

from common.archive.links import embed
from common.errors import UnsupportedFile
from common.processing.base import Context, Result, SourceFile
from common.processing.pages.finish import Draft, chosen_template, finish
from common.processing.pages.readers import required_model
from common.processing.pages.work import PagesDone, PageWork
from common.processing.pdf.document import PageText, PdfDocument, open_document
from common.processing.pdf.origin import as_pdf
from common.processing.pdf.pages import PdfPages
from common.processing.pdf.parameters import PdfParameters


def handle(parameters: PdfParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    template = chosen_template(parameters, context)
    if parameters.needs_language_model():
        required_model(context, parameters.extraction_method)
    context.progress.report("downloading_or_opening", 5)
    source = context.sources.fetch(
        url=parameters.url, upload_id=parameters.upload_id, file_path=parameters.file_path
    )
    with open_document(as_pdf(source, context), max_pages=context.limits.pages) as document:
        draft = _read(document, source, parameters, context)
    return finish(draft, source=source, parameters=parameters, context=context, template=template)


def page_range(parameters: PdfParameters, pages: int) -> range:
    first, last = parameters.page_start or 1, min(parameters.page_end or pages, pages)
    if first > pages:
        raise UnsupportedFile(f"page_start is {first}, but the document has only {pages} pages.")
    return range(first, last + 1)


def _read(document: PdfDocument, source: SourceFile, parameters: PdfParameters, context: Context) -> Draft:
    numbers = page_range(parameters, document.info.pages)
    work = PageWork(
        kind="pdf",
        source=source,
        pages=PdfPages(document=document, max_pixels=context.limits.image_pixels),
        numbers=numbers,
        method=parameters.extraction_method,
        images=parameters.include_images,
    )
    done = work.do(parameters, context)
    pictures = done.pictures
    if pictures.preview_paths:
        pictures.pack_previews(is_whole=len(numbers) == document.info.pages)
    return Draft(
        markdown=_markdown(document, done, parameters),
        page_texts=done.reading.text_paths,
        assets=(*pictures.image_paths.values(), *pictures.preview_paths.values()),
        slides=done.slides,
        metadata=_metadata(document, source, parameters, done),
        warnings=done.warnings,
        target_dir=done.target_dir,
        is_from_cache=done.reading.is_from_cache,
        has_pictures=parameters.include_images,
    )


def _markdown(document: PdfDocument, done: PagesDone, parameters: PdfParameters) -> str:
    if not parameters.extraction_method.reads_text:
        return "\n\n".join(embed(path) for path in done.pictures.preview_paths.values()) + "\n"
    texts = [PageText(number=page.number, text=page.text, markdown=page.markdown) for page in done.pages]
    return document.markdown(texts)


def _metadata(
    document: PdfDocument, source: SourceFile, parameters: PdfParameters, done: PagesDone
) -> dict[str, Any]:
    info = document.info
    return {
        "title": info.title,
        "author": info.author,
        "pages": info.pages,
        "producer": info.producer,
        "language": parameters.language or info.language or done.language(),
        "sha256": source.sha256,
        "size": source.size,
        "extraction_method": parameters.extraction_method.value,
        **done.metadata(),
    }
