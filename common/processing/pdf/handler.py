"""Job type `pdf`: pages in, page texts, Markdown and pictures out. Finished pages are never done twice."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from common.archive.links import embed
from common.errors import UnsupportedFile
from common.objects import keys
from common.processing.base import Context, Result, SourceFile
from common.processing.pages.finish import Draft, chosen_template, finish, model_calls
from common.processing.pages.method import ExtractionMethod
from common.processing.pages.page import Page
from common.processing.pages.pictures import PagePictures
from common.processing.pages.progress import LAST_PERCENT, PageProgress
from common.processing.pages.readers import PageReader, required_model
from common.processing.pages.reading import PageLoop, Reading, reusable
from common.processing.pdf.document import PageText, PdfDocument, open_document
from common.processing.pdf.origin import as_pdf
from common.processing.pdf.pages import PdfPages
from common.processing.pdf.parameters import PdfParameters
from common.processing.session.language import detect_language
from common.processing.transform.slides import Slide

CACHE_KIND = "pdf"


def handle(parameters: PdfParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    template = chosen_template(parameters, context)
    if parameters.extraction_method.uses_model:
        required_model(context, parameters.extraction_method)
    context.progress.report("downloading_or_opening", 5)
    source = context.sources.fetch(
        url=parameters.url, upload_id=parameters.upload_id, file_path=parameters.file_path
    )
    with open_document(as_pdf(source, context), max_pages=context.limits.pages) as document:
        draft = _read(document, source, parameters, context)
    return finish(draft, source=source, parameters=parameters, context=context, template=template)


def _read(document: PdfDocument, source: SourceFile, parameters: PdfParameters, context: Context) -> Draft:
    method = parameters.extraction_method
    numbers = page_range(parameters, document.info.pages)
    model = context.model.name if context.model else None
    folder = method.cache_name(language=parameters.language, model=model)
    cache = context.cache(CACHE_KIND, source.sha256, folder)
    kept = reusable(cache, context, is_fresh=parameters.force_overwrite or not parameters.use_cache)
    pages = PdfPages(document=document, max_pixels=context.limits.image_pixels)
    pictures = PagePictures(
        source=pages, context=context, cache=cache, kept=kept,
        images=parameters.include_images, previews=method.makes_previews,
    )  # fmt: skip
    reader = PageReader(
        source=pages, method=method, context=context, language=parameters.language,
        progress=PageProgress(context.progress, len(numbers)), calls_made=len(model_calls(context)),
    )  # fmt: skip
    reading = PageLoop(
        context=context, cache=cache, reader=reader, pictures=pictures, numbers=numbers, kept=kept
    ).run()
    context.progress.report("postprocessing", LAST_PERCENT)
    if pictures.preview_paths:
        pictures.pack_previews(is_whole=len(numbers) == document.info.pages)
    return Draft(
        markdown=_markdown(document, reading.pages, pictures, method),
        page_texts=reading.text_paths,
        assets=(*pictures.image_paths, *pictures.preview_paths),
        slides=_slides(reading.pages, pictures),
        metadata=_metadata(document, source, parameters, reading, model),
        warnings=tuple(warning for page in reading.pages for warning in page.warnings),
        target_dir=keys.cache_prefix(CACHE_KIND, source.sha256, folder),
        is_from_cache=reading.is_from_cache,
        has_pictures=parameters.include_images,
    )


def page_range(parameters: PdfParameters, pages: int) -> range:
    first, last = parameters.page_start or 1, min(parameters.page_end or pages, pages)
    if first > pages:
        raise UnsupportedFile(f"page_start is {first}, but the document has only {pages} pages.")
    return range(first, last + 1)


def _markdown(
    document: PdfDocument, pages: tuple[Page, ...], pictures: PagePictures, method: ExtractionMethod
) -> str:
    if not method.reads_text:
        return "\n\n".join(embed(path) for path in pictures.preview_paths) + "\n"
    texts = [PageText(number=page.number, text=page.text, markdown=page.markdown) for page in pages]
    return document.markdown(texts)


def _slides(pages: tuple[Page, ...], pictures: PagePictures) -> list[Slide]:
    paths: list[str] | list[None] = pictures.image_paths or pictures.preview_paths or [None] * len(pages)
    return [
        Slide(number=page.number, picture=path, text=page.text)
        for page, path in zip(pages, paths, strict=True)
    ]


def _metadata(
    document: PdfDocument, source: SourceFile, parameters: PdfParameters, reading: Reading, model: str | None
) -> dict[str, Any]:
    info, method = document.info, parameters.extraction_method
    text = " ".join(page.text for page in reading.pages[:10])
    return {
        "title": info.title,
        "author": info.author,
        "pages": info.pages,
        "producer": info.producer,
        "language": parameters.language or info.language or detect_language(text),
        "sha256": source.sha256,
        "size": source.size,
        "extraction_method": method.value,
        "engines": engines(reading.pages) | ({"model": model} if method.uses_model and model else {}),
        **confidence(reading.pages),
    }


def engines(pages: tuple[Page, ...]) -> dict[str, str]:
    names = ["secretary", "pypdfium2"]
    if any(page.confidence is not None for page in pages):
        names.append("tesserocr")
    return {name: version(name) for name in names}


def confidence(pages: tuple[Page, ...]) -> dict[str, Any]:
    """Of the whole and of each page; null for pages that OCR did not read."""
    known = [page.confidence for page in pages if page.confidence is not None]
    if not known:
        return {}
    mean = round(sum(known) / len(known), 1)
    return {"ocr_confidence": mean, "page_confidence": [page.confidence for page in pages]}
