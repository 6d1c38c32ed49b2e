"""What an `imageocr` job takes."""

from __future__ import annotations

from enum import StrEnum

from common.processing.pages.method import ExtractionMethod
from common.processing.pages.parameters import DocumentParameters


class ImageMethod(StrEnum):
    """The extraction methods that need no text layer."""

    OCR = ExtractionMethod.OCR.value
    LLM = ExtractionMethod.LLM.value
    LLM_AND_OCR = ExtractionMethod.LLM_AND_OCR.value


class ImageParameters(DocumentParameters):
    """One picture, or a scan of many pages."""

    extraction_method: ImageMethod = ImageMethod.OCR

    @property
    def method(self) -> ExtractionMethod:
        return ExtractionMethod(self.extraction_method.value)

    def needs_language_model(self) -> bool:
        return self.method.uses_model
