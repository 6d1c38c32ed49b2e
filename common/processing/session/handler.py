"""Job type `session`: a talk's page, slides and recording to one note with pictures, ready for a vault."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from common.processing.base import Context, Result
from common.processing.session.attachments import choose_attachments, read_attachments
from common.processing.session.note import Talk, blocks, context_values, material, structured_data
from common.processing.session.page import EventPage, read_page
from common.processing.session.parameters import SessionParameters
from common.processing.session.paths import SessionPaths, session_paths
from common.processing.session.recording import read_recording
from common.processing.transform.library import template_of
from common.processing.transform.template import Template
from common.processing.transform.transformer import Material, Transformation, transform

TEMPLATE_PERCENT, STORE_PERCENT = 80.0, 95.0
ENGINES = ("selectolax", "markdownify", "pypdfium2")


def handle(parameters: SessionParameters, context: Context) -> Result:
    """A page or a template that cannot be read ends the job; all else that fails is a warning."""
    context.progress.report("initializing", 0)
    template = template_of(  # before anything is fetched: a template with a fault is told at once
        parameters.template,
        parameters.template_content,
        language=parameters.target_language,
        folders=context.template_folders,
    )
    paths = session_paths(parameters)
    page = _page(parameters, context)
    urls = choose_attachments(parameters.attachments_url, page.slides)
    attachments = read_attachments(urls, context, paths, use_cache=parameters.use_cache)
    recording = read_recording(parameters, page, context)
    talk = Talk(parameters=parameters, page=page, attachments=attachments, recording=recording)
    written = _write(template, talk, context)
    context.progress.report("storing_results", STORE_PERCENT)
    context.files.write(paths.markdown, written.markdown.encode(), "text/markdown; charset=utf-8")
    return _result(talk, written, paths, context)


def _page(parameters: SessionParameters, context: Context) -> EventPage:
    context.progress.report("reading_page", 5)
    source = context.sources.fetch(url=parameters.url)
    return read_page(source.path.read_bytes(), source.url or parameters.url)


def _write(template: Template, talk: Talk, context: Context) -> Transformation:
    context.progress.report("writing_note", TEMPLATE_PERCENT)
    share = STORE_PERCENT - TEMPLATE_PERCENT
    return transform(
        template,
        Material(
            text=material(talk),
            context=context_values(talk),
            source_language=talk.source_language,
            target_language=talk.parameters.target_language,
        ),
        model=context.model,
        blocks=blocks(talk),
        report=lambda done, total: context.progress.report(
            f"writing_note:{done + 1}/{total}", TEMPLATE_PERCENT + share * done / total
        ),
    )


def _result(talk: Talk, written: Transformation, paths: SessionPaths, context: Context) -> Result:
    texts = {
        "web_text": talk.page.markdown,
        "video_transcript": talk.recording.transcript,
        "attachments_text": talk.attachments.text,
    }
    pictures = talk.attachments.pictures
    return Result(
        markdown=written.markdown,
        markdown_file=paths.markdown,
        page_texts=tuple(talk.attachments.page_texts),
        assets=pictures,
        target_dir=paths.target_dir,
        archive_name=paths.archive if pictures and talk.parameters.create_archive else None,
        metadata=_metadata(talk),
        structured_data=structured_data(talk, written.values),
        texts={name: text for name, text in texts.items() if text},
        warnings=(*talk.attachments.warnings, *talk.recording.warnings, *written.warnings),
        llm_requests=context.model.usage() if context.model else (),
    )


def _metadata(talk: Talk) -> dict[str, Any]:
    """Also what the archive's README shows."""
    return {
        "title": talk.parameters.session,
        "event": talk.parameters.event,
        "track": talk.parameters.track,
        "speakers": talk.speakers,
        "date": talk.moment.day,
        "language": talk.parameters.target_language,
        "sources": talk.sources,
        "slides": len(talk.attachments.slides),
        "engines": {name: version(name) for name in ENGINES},
    }
