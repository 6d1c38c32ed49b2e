"""Everything there is to do with the pages of one document, put together for its handler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from common.objects import keys
from common.processing.base import Context, SourceFile, Warning
from common.processing.languages import detect_language
from common.processing.pages.finish import model_calls
from common.processing.pages.method import ExtractionMethod
from common.processing.pages.page import Page, PagedSource
from common.processing.pages.parameters import DocumentParameters
from common.processing.pages.pictures import PagePictures
from common.processing.pages.progress import LAST_PERCENT, PageProgress
from common.processing.pages.readers import PageReader
from common.processing.pages.reading import PageLoop, Reading, reusable
from common.processing.transform.slides import Slide

LANGUAGE_PAGES = 10  # enough to tell the language of a document


@dataclass(frozen=True, kw_only=True)
class PageWork:
    """What is read, and how."""

    kind: str  # of the cache
    source: SourceFile
    pages: PagedSource
    numbers: Sequence[int]
    method: ExtractionMethod
    images: bool = False

    def do(self, parameters: DocumentParameters, context: Context) -> PagesDone:
        model = context.model.vision_name if context.model and self.method.uses_model else None
        folder = self.method.cache_name(language=parameters.language, model=model)
        cache = context.cache(self.kind, self.source.sha256, folder)
        is_fresh = parameters.force_overwrite or not parameters.use_cache
        kept = reusable(cache, context, is_fresh=is_fresh)
        pictures = PagePictures(
            source=self.pages, context=context, cache=cache, kept=kept,
            images=self.images, previews=self.method.makes_previews,
        )  # fmt: skip
        reader = PageReader(
            source=self.pages, method=self.method, context=context, language=parameters.language,
            progress=PageProgress(context.progress, len(self.numbers)), calls_made=len(model_calls(context)),
        )  # fmt: skip
        loop = PageLoop(
            context=context, cache=cache, reader=reader, pictures=pictures, numbers=self.numbers, kept=kept,
            overwrites=is_fresh,
        )  # fmt: skip
        reading = loop.run()
        context.progress.report("postprocessing", LAST_PERCENT)
        target_dir = keys.cache_prefix(self.kind, self.source.sha256, folder)
        return PagesDone(reading=reading, pictures=pictures, target_dir=target_dir, model=model)


@dataclass(frozen=True, kw_only=True)
class PagesDone:
    """What came of it."""

    reading: Reading
    pictures: PagePictures
    target_dir: str
    model: str | None

    @property
    def pages(self) -> tuple[Page, ...]:
        return self.reading.pages

    @property
    def warnings(self) -> tuple[Warning, ...]:
        of_pages = tuple(warning for page in self.pages for warning in page.warnings)
        return of_pages + tuple(self.pictures.warnings)

    @property
    def slides(self) -> list[Slide]:
        shown = self.pictures.image_paths or self.pictures.preview_paths
        return [
            Slide(number=page.number, picture=shown.get(page.number), text=page.text) for page in self.pages
        ]

    def language(self) -> str:
        return detect_language(" ".join(page.text for page in self.pages[:LANGUAGE_PAGES]))

    def metadata(self) -> dict[str, Any]:
        """Engines, and how sure OCR was: of the whole and of each page, null for pages it did not read."""
        sure = [page.confidence for page in self.pages]
        known = [value for value in sure if value is not None]
        names = ("secretary", "pypdfium2", *(("tesserocr",) if known else ()))
        engines = {name: _version(name) for name in names} | ({"model": self.model} if self.model else {})
        if not known:
            return {"engines": engines}
        mean = round(sum(known) / len(known), 1)
        return {"engines": engines, "ocr_confidence": mean, "page_confidence": sure}


@lru_cache
def _version(name: str) -> str:
    return version(name)
