"""From an extraction method to the pages it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from common.errors import LlmNotConfigured
from common.processing.base import Context, LanguageModel
from common.processing.pages.method import ExtractionMethod
from common.processing.pages.page import Page, PagedSource
from common.processing.pages.progress import PageProgress
from common.processing.pages.scans import Scanner
from common.processing.pages.vision import Vision
from common.processing.transform.messages import message


@dataclass(frozen=True, kw_only=True)
class PageReader:
    """Reads the pages of one document by one method."""

    source: PagedSource
    method: ExtractionMethod
    context: Context
    progress: PageProgress
    language: str | None
    calls_made: int = 0  # of the model, by earlier runs of this job

    def read(self, numbers: Iterable[int], *, count: int) -> Iterator[Page]:
        """In order; `count` is how many there may be."""
        match self.method:
            case ExtractionMethod.PREVIEW:
                return iter(())  # there is nothing to read
            case ExtractionMethod.NATIVE | ExtractionMethod.PREVIEW_AND_NATIVE:
                return self.source.native(numbers)
            case ExtractionMethod.AUTO:
                return self._scanner().read(self.source.native(numbers), wanted=_needs_ocr, count=count)
            case ExtractionMethod.OCR:
                return self._ocr(numbers, count)
            case ExtractionMethod.BOTH:
                return self._scanner().read(self.source.native(numbers), wanted=_always, count=count)
            case ExtractionMethod.LLM:
                return self._vision().read(self.source.native(numbers), show_hints=False)
            case ExtractionMethod.LLM_AND_NATIVE:
                return self._vision().read(self.source.native(numbers), show_hints=True)
            case ExtractionMethod.LLM_AND_OCR:
                return self._vision().read(self._ocr(numbers, count), show_hints=True)

    def _ocr(self, numbers: Iterable[int], count: int) -> Iterator[Page]:
        blank = (Page(number=number) for number in numbers)
        return self._scanner().read(blank, wanted=_always, count=count)

    def _scanner(self) -> Scanner:
        return Scanner(source=self.source, scratch=self.context.scratch, language=self.language)

    def _vision(self) -> Vision:
        limits = self.context.limits
        return Vision(
            model=required_model(self.context, self.method),
            source=self.source,
            language=self.language,
            parallel=limits.model_parallel,
            calls_left=limits.model_calls - self.calls_made,
            stand_in=self._stand_in,
            tick=self.progress.still_waiting,
        )

    def _stand_in(self, hint: Page) -> Page:
        """The text layer, or OCR where there is none."""
        if hint.needs_ocr:
            return self._scanner().read_one(replace(hint, text="", markdown=""))
        return hint


def _needs_ocr(page: Page) -> bool:
    return page.needs_ocr


def _always(page: Page) -> bool:
    return True


def required_model(context: Context, method: ExtractionMethod) -> LanguageModel:
    if context.model is None:
        raise LlmNotConfigured(message("model_needed", "en", method=method.value))
    return context.model
