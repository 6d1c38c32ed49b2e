"""Job type `transformer`: a text and a template in, Markdown and structured data out."""

from __future__ import annotations

from pathlib import PurePosixPath

from common.errors import UnsupportedFile
from common.names import safe_name
from common.processing.base import Context, Result, Warning
from common.processing.transform.library import template_of
from common.processing.transform.parameters import TransformerParameters
from common.processing.transform.source_text import source_text
from common.processing.transform.transformer import Material, transform

TEMPLATE_PERCENT, STORE_PERCENT = 50.0, 95.0


def handle(parameters: TransformerParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    template = template_of(
        parameters.template,
        parameters.template_content,
        language=parameters.target_language,
        folders=context.template_folders,
    )
    text, name, warnings = _text(parameters, context)
    if not text.strip():
        raise UnsupportedFile("There is no text to transform: expected some words, found none.")
    context.progress.report("transforming", TEMPLATE_PERCENT)
    share = STORE_PERCENT - TEMPLATE_PERCENT
    known = {"filename": name, "url": parameters.url, "title": PurePosixPath(name).stem} | parameters.context
    done = transform(
        template,
        Material(
            text=text,
            context={field: value for field, value in known.items() if value},
            source_language=parameters.source_language or "",
            target_language=parameters.target_language,
        ),
        model=context.model,
        report=lambda part, parts: context.progress.report(
            f"transforming:{part + 1}/{parts}", TEMPLATE_PERCENT + share * part / parts
        ),
    )
    path = f"{safe_name(PurePosixPath(parameters.filename or name).stem, fallback='document')}.md"
    context.files.write(path, done.markdown.encode(), "text/markdown; charset=utf-8")
    return Result(
        markdown=done.markdown,
        markdown_file=path,
        metadata={"template": template.name, "language": parameters.target_language},
        structured_data=done.values,
        warnings=(*warnings, *done.warnings),
        llm_requests=context.model.usage() if context.model else (),
    )


def _text(parameters: TransformerParameters, context: Context) -> tuple[str, str, tuple[Warning, ...]]:
    if parameters.text is not None:
        return parameters.text, "text", ()
    context.progress.report("downloading_or_opening", 5)
    source = context.sources.fetch(
        url=parameters.url, upload_id=parameters.upload_id, file_path=parameters.file_path
    )
    text, warnings = source_text(source, context)
    return text, source.name, warnings
