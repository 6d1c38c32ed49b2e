"""The last step of every document: the template, the Markdown file, the archive's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from common.clock import utc_now
from common.names import safe_name
from common.processing.base import Context, Result, SourceFile, Warning
from common.processing.languages import detect_language
from common.processing.pages.parameters import DocumentParameters
from common.processing.transform.library import find_template
from common.processing.transform.slides import Slide, slides_block
from common.processing.transform.template import Template
from common.processing.transform.transformer import Material, transform

FALLBACK_LANGUAGE = "en"
TRANSFORM_PERCENT, WRITE_PERCENT = 92.0, 98.0


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A document that has been read."""

    markdown: str
    page_texts: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    slides: Sequence[Slide] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[Warning, ...] = ()
    target_dir: str | None = None
    is_from_cache: bool = False
    has_pictures: bool = False


def chosen_template(parameters: DocumentParameters, context: Context) -> Template | None:
    """Looked for before the work starts: a wrong name must not cost an hour of OCR."""
    if parameters.template is None:
        return None
    language = _target_language(parameters)
    return find_template(parameters.template, language=language, folders=context.template_folders)


def document_stem(source: SourceFile) -> str:
    return safe_name(PurePosixPath(source.name).stem, fallback="document")


def finish(
    draft: Draft,
    *,
    source: SourceFile,
    parameters: DocumentParameters,
    context: Context,
    template: Template | None,
) -> Result:
    stem = document_stem(source)
    written, warnings = draft.markdown, draft.warnings
    values: dict[str, Any] = {}
    if template is not None:
        context.progress.report("postprocessing", TRANSFORM_PERCENT, "template")
        done = transform(
            template,
            _material(draft, source, parameters),
            model=context.model,
            blocks={"slides": slides_block(draft.slides)},
        )
        written, values, warnings = done.markdown, done.values, (*warnings, *done.warnings)
    context.progress.report("postprocessing", WRITE_PERCENT)
    context.files.write(f"{stem}.md", written.encode(), "text/markdown; charset=utf-8")
    return Result(
        markdown=written,
        markdown_file=f"{stem}.md",
        page_texts=draft.page_texts,
        assets=draft.assets,
        target_dir=draft.target_dir,
        archive_name=_archive_name(stem, draft, parameters),
        metadata=draft.metadata,
        structured_data=values,
        warnings=warnings,
        llm_requests=tuple(model_calls(context)),
        is_from_cache=draft.is_from_cache,
    )


def model_calls(context: Context) -> list[dict[str, Any]]:
    """All calls of this job, those of its earlier runs first."""
    earlier = list(context.checkpoint.get("llm_requests", ()))
    return earlier + (list(context.model.usage()) if context.model else [])


def _material(draft: Draft, source: SourceFile, parameters: DocumentParameters) -> Material:
    known: Mapping[str, Any] = {
        "title": draft.metadata.get("title") or "",
        "filename": source.name,
        "url": source.url or parameters.url or "",
        "pages": draft.metadata.get("pages") or "",
    }
    return Material(
        text=draft.markdown,
        context={**known, **(parameters.context or {})},
        source_language=detect_language(draft.markdown),
        target_language=_target_language(parameters),
    )


def _target_language(parameters: DocumentParameters) -> str:
    return str(parameters.language or (parameters.context or {}).get("language") or FALLBACK_LANGUAGE)


def _archive_name(stem: str, draft: Draft, parameters: DocumentParameters) -> str | None:
    """The time is in the name alone: equal input gives an archive of equal bytes."""
    if not parameters.create_archive:
        return None
    return f"{stem}_images_{utc_now():%Y%m%d_%H%M%S}.zip" if draft.has_pictures else f"{stem}.zip"
