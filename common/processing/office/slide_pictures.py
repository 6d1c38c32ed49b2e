"""Pictures of the slides of a presentation, through LibreOffice and PDFium."""

from __future__ import annotations

from common.processing.base import Context, SourceFile
from common.processing.office.kept import OfficeCache
from common.processing.pages.pictures import IMAGE_DPI, IMAGE_QUALITY, as_jpeg
from common.processing.pages.progress import PageProgress


def draw_slides(source: SourceFile, count: int, context: Context, kept: OfficeCache) -> list[str]:
    names = [f"slide_{number:03}.jpg" for number in range(1, count + 1)]
    if not all(name in kept.kept for name in names):
        names = _draw(source, names, context, kept)
    return [kept.adopt("slides", name) for name in names]


def _draw(source: SourceFile, names: list[str], context: Context, kept: OfficeCache) -> list[str]:
    from common.processing.pdf.document import open_document
    from common.processing.pdf.origin import as_pdf

    with open_document(as_pdf(source, context), max_pages=context.limits.pages) as document:
        drawn = names[: document.info.pages]
        progress = PageProgress(context.progress, len(drawn))
        for number, name in enumerate(drawn, 1):
            progress.start_page(number - 1)
            picture = document.render(number, max_pixels=context.limits.image_pixels, dpi=IMAGE_DPI)
            kept.write(name, as_jpeg(picture, quality=IMAGE_QUALITY), "image/jpeg")
    return drawn
