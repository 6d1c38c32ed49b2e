"""What a `pdf` job takes."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from common.processing.pages.method import ExtractionMethod
from common.processing.pages.parameters import DocumentParameters

PageNumber = Annotated[int, Field(ge=1, le=1_000_000)]


class PdfParameters(DocumentParameters):
    """One document and what to take out of it."""

    extraction_method: ExtractionMethod = ExtractionMethod.NATIVE
    page_start: PageNumber | None = None
    page_end: PageNumber | None = None
    include_images: bool = False

    def needs_language_model(self) -> bool:
        return self.extraction_method.uses_model

    @model_validator(mode="after")
    def _pages_in_order(self) -> Self:
        if self.page_start and self.page_end and self.page_end < self.page_start:
            raise ValueError(f"page_end ({self.page_end}) is before page_start ({self.page_start})")
        return self
