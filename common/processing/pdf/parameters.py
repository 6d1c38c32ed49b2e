"""What a `pdf` job takes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from common.processing.source import SourceParameters

PageNumber = Annotated[int, Field(ge=1, le=1_000_000)]


class ExtractionMethod(StrEnum):
    """How text and pictures are taken out of a page."""

    NATIVE = "native"  # the text layer


class PdfParameters(SourceParameters):
    """One document and what to take out of it."""

    extraction_method: ExtractionMethod = ExtractionMethod.NATIVE
    page_start: PageNumber | None = None
    page_end: PageNumber | None = None
    include_images: bool = False
    template: Annotated[str, Field(max_length=100)] | None = None
    context: dict[str, Any] | None = None
    language: Annotated[str, Field(max_length=20)] | None = None
    create_archive: bool = True

    @model_validator(mode="after")
    def _pages_in_order(self) -> Self:
        if self.page_start and self.page_end and self.page_end < self.page_start:
            raise ValueError(f"page_end ({self.page_end}) is before page_start ({self.page_start})")
        return self
