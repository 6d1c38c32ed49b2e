"""Job type `office`: a document, its slides or sheets as Markdown, read directly and without conversion."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import PurePosixPath

from common import media_type
from common.errors import UnsupportedFile
from common.objects import keys
from common.processing.base import Context, Result, SourceFile, Warning
from common.processing.languages import detect_language
from common.processing.office.document import OfficeDocument
from common.processing.office.kept import OfficeCache
from common.processing.office.libreoffice import PRESENTATIONS
from common.processing.office.parameters import OfficeParameters
from common.processing.office.slide_pictures import draw_slides
from common.processing.pages.finish import Draft, chosen_template, finish
from common.processing.pages.page import text_name
from common.processing.transform.slides import Slide

READING_PERCENT, LAST_PERCENT = 6, 90
ENGINES = {
    media_type.PPTX: ("python-pptx", "lxml"),
    media_type.XLSX: ("lxml",),
    media_type.DOCX: ("lxml",),
}


def handle(parameters: OfficeParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    template = chosen_template(parameters, context)
    context.progress.report("downloading_or_opening", 5)
    source = context.sources.fetch(
        url=parameters.url, upload_id=parameters.upload_id, file_path=parameters.file_path
    )
    draft = _read(source, parameters, context)
    return finish(draft, source=source, parameters=parameters, context=context, template=template)


def _read(source: SourceFile, parameters: OfficeParameters, context: Context) -> Draft:
    folder = "direct_and_images" if parameters.include_images else "direct"
    cache = context.cache("office", source.sha256, folder)
    is_fresh = parameters.force_overwrite or not parameters.use_cache
    kept = OfficeCache(cache=cache, context=context, kept={} if is_fresh else cache.names())
    context.progress.report("reading_document", READING_PERCENT)
    document, is_known = kept.document(source, with_pictures=parameters.include_images)
    page_texts = tuple(kept.adopt("pages", text_name(number)) for number, _ in enumerate(document.pages, 1))
    images = tuple(kept.adopt("images", PurePosixPath(path).name) for path in document.assets)
    slides, warnings = _slides(source, document, parameters, context, kept)
    context.progress.report("postprocessing", LAST_PERCENT)
    return Draft(
        markdown=document.markdown,
        page_texts=page_texts,
        assets=(*images, *slides),
        slides=[
            Slide(number=number, picture=slides[number - 1] if number <= len(slides) else None, text=page)
            for number, page in enumerate(document.pages, 1)
        ],
        metadata={
            **document.metadata,
            "title": document.title,
            "pages": len(document.pages),
            "media_type": source.media_type,
            "language": parameters.language or detect_language(document.markdown),
            "sha256": source.sha256,
            "size": source.size,
            "engines": {name: version(name) for name in ("secretary", *ENGINES.get(source.media_type, ()))},
        },
        warnings=(*document.warnings, *warnings),
        target_dir=keys.cache_prefix("office", source.sha256, folder),
        is_from_cache=is_known,
        has_pictures=bool(images or slides),
    )


def _slides(
    source: SourceFile,
    document: OfficeDocument,
    parameters: OfficeParameters,
    context: Context,
    kept: OfficeCache,
) -> tuple[list[str], tuple[Warning, ...]]:
    """Pictures of the slides are a gift of LibreOffice: without it the text is delivered all the same."""
    if not parameters.include_images or source.media_type not in PRESENTATIONS:
        return [], ()
    try:
        return draw_slides(source, len(document.pages), context, kept), ()
    except UnsupportedFile as error:
        return [], (Warning(code=error.code, message=f"No pictures of the slides: {error.message}"),)
