"""Job types `audio` and `video`: a recording in, its words with their times out, written anew if asked."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from common import media_type
from common.errors import TranscriptionFailed, UnsupportedFile
from common.names import safe_name
from common.processing.base import Context, Result, SourceFile
from common.processing.media.captions import Segment, parse_captions, to_text, to_vtt
from common.processing.media.locate import locate
from common.processing.media.parameters import MediaParameters
from common.processing.media.transcript import Transcript, transcribe
from common.processing.transform.library import template_of
from common.processing.transform.template import Template, parse_template
from common.processing.transform.transformer import Material, Transformation, transform

TRANSCRIPT_PERCENT, TEMPLATE_PERCENT = 10.0, 85.0
PLAIN = "---\ntitle: {{title}}\nsource: {{url}}\nduration: {{duration}}\n---\n# {{title}}\n\n{{text}}\n"

_CAPTIONS = (media_type.VTT, media_type.SRT)


def handle(parameters: MediaParameters, context: Context) -> Result:
    context.progress.report("initializing", 0)
    template = _template(parameters, context)
    context.progress.report("downloading_or_opening", 5)
    found, name = _transcript(parameters, context)
    if not found.segments:
        raise TranscriptionFailed("The recording was read to its end, and no speech was found in it.")
    stem = safe_name(name, fallback="recording")
    text = to_text(found.segments)
    context.files.write(f"{stem}.vtt", to_vtt(found.segments).encode(), "text/vtt; charset=utf-8")
    context.files.write(f"{stem}.txt", text.encode(), "text/plain; charset=utf-8")
    context.progress.report("writing_note", TEMPLATE_PERCENT)
    done = _written(template, text, found, stem, parameters, context)
    context.files.write(f"{stem}.md", done.markdown.encode(), "text/markdown; charset=utf-8")
    return Result(
        markdown=done.markdown,
        markdown_file=f"{stem}.md",
        page_texts=(f"{stem}.txt",),
        assets=(f"{stem}.vtt",),
        archive_name=f"{stem}.zip" if parameters.create_archive else None,
        metadata={
            "title": stem,
            "duration_seconds": _length(found),
            "segments": len(found.segments),
            "transcript_from": found.origin,
            "language": parameters.source_language or "",
        },
        structured_data=done.values,
        texts={"video_transcript": text},
        warnings=done.warnings,
        llm_requests=context.model.usage() if context.model else (),
    )


def _template(parameters: MediaParameters, context: Context) -> Template:
    if parameters.template is None and parameters.template_content is None:
        return parse_template(PLAIN, name="transcript")
    return template_of(
        parameters.template,
        parameters.template_content,
        language=parameters.target_language,
        folders=context.template_folders,
    )


def _transcript(parameters: MediaParameters, context: Context) -> tuple[Transcript, str]:
    """Captions beside the recording or on its page spare its download."""
    if parameters.url is None:
        source = context.sources.fetch(upload_id=parameters.upload_id, file_path=parameters.file_path)
        return _of_source(source, parameters, context), PurePosixPath(source.name).stem
    located = locate(parameters.url, context, language=parameters.source_language)
    if located.captions:
        name = located.title or PurePosixPath(parameters.url).stem
        return Transcript(segments=located.captions, origin="captions"), name
    source = located.fetch(context)
    return _of_source(source, parameters, context), located.title or PurePosixPath(source.name).stem


def _of_source(source: SourceFile, parameters: MediaParameters, context: Context) -> Transcript:
    if source.media_type in _CAPTIONS:
        return Transcript(segments=parse_captions(source.path.read_bytes()), origin="captions")
    if not (media_type.is_audio(source.media_type) or media_type.is_video(source.media_type)):
        raise UnsupportedFile(
            f"{source.name!r} is {source.media_type}; expected a recording (audio or video).",
            details={"media_type": source.media_type},
        )
    share = TEMPLATE_PERCENT - TRANSCRIPT_PERCENT
    return transcribe(
        source,
        context,
        language=parameters.source_language,
        use_cache=parameters.use_cache and not parameters.force_overwrite,
        report=lambda part, parts: context.progress.report(
            f"transcribing:{part + 1}/{parts}", TRANSCRIPT_PERCENT + share * part / parts
        ),
    )


def _written(
    template: Template,
    text: str,
    found: Transcript,
    stem: str,
    parameters: MediaParameters,
    context: Context,
) -> Transformation:
    known: dict[str, Any] = {
        "title": stem,
        "filename": stem,
        "url": parameters.url,
        "duration": _clock(_length(found)),
        "video_transcript": text,
        "video_url": parameters.url,
    } | parameters.context
    material = Material(
        text=text,
        context={name: value for name, value in known.items() if value},
        source_language=parameters.source_language or "",
        target_language=parameters.target_language,
    )
    return transform(template, material, model=context.model)


def _length(found: Transcript) -> float:
    last: Segment = found.segments[-1]
    return round(found.seconds or last.end, 1)


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
