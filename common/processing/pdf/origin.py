"""What a `pdf` job is given, as a PDF: office documents are converted first, once for all jobs."""

from __future__ import annotations

from pathlib import Path

from common import media_type
from common.errors import UnsupportedFile
from common.processing.base import Context, SourceFile
from common.processing.office.convert import is_office, to_pdf

CONVERTING_PERCENT = 7
CONVERTED = "document.pdf"


def as_pdf(source: SourceFile, context: Context) -> Path:
    kind = source.media_type
    if is_office(kind):
        return _converted(source, context)
    if media_type.is_image(kind):
        raise UnsupportedFile(
            f"{source.name!r} is a picture ({kind}); expected a PDF. Use the job type imageocr for it.",
            details={"media_type": kind},
        )
    return source.path  # the engine tells what is wrong with everything else


def _converted(source: SourceFile, context: Context) -> Path:
    context.progress.report("converting_pptx_to_pdf", CONVERTING_PERCENT, source.name)
    cache = context.cache("pdf", source.sha256, "converted")
    target = context.scratch / CONVERTED
    if CONVERTED in cache.names():
        cache.copy(CONVERTED, target)
        return target
    folder = context.scratch / "converted"
    folder.mkdir(exist_ok=True)
    produced = to_pdf(source.path, folder, limits=context.limits)
    cache.write(CONVERTED, produced, media_type.PDF)
    return produced
