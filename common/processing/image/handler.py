"""Job type `imageocr`: a picture or a scan of many pages in, page texts and Markdown out."""

from __future__ import annotations

from common.processing.base import Context, Result, SourceFile
from common.processing.image.parameters import ImageParameters
from common.processing.image.picture import PictureFile, open_picture
from common.processing.pages.finish import Draft, chosen_template, finish
from common.processing.pages.readers import required_model
from common.processing.pages.work import PageWork


def handle(parameters: ImageParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    template = chosen_template(parameters, context)
    if parameters.needs_language_model():
        required_model(context, parameters.method)
    context.progress.report("downloading_or_opening", 5)
    source = context.sources.fetch(
        url=parameters.url, upload_id=parameters.upload_id, file_path=parameters.file_path
    )
    with open_picture(source, limits=context.limits) as picture:
        draft = _read(picture, source, parameters, context)
    return finish(draft, source=source, parameters=parameters, context=context, template=template)


def _read(picture: PictureFile, source: SourceFile, parameters: ImageParameters, context: Context) -> Draft:
    work = PageWork(
        kind="image",
        source=source,
        pages=picture,
        numbers=range(1, picture.pages + 1),
        method=parameters.method,
    )
    done = work.do(parameters, context)
    return Draft(
        markdown="\n\n".join(page.markdown for page in done.pages if page.markdown).rstrip() + "\n",
        page_texts=done.reading.text_paths,
        slides=done.slides,
        metadata={
            "pages": picture.pages,
            "media_type": source.media_type,
            "language": parameters.language or done.language(),
            "sha256": source.sha256,
            "size": source.size,
            "extraction_method": parameters.extraction_method.value,
            **done.metadata(),
        },
        warnings=done.warnings,
        target_dir=done.target_dir,
        is_from_cache=done.reading.is_from_cache,
    )
