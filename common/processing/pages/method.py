"""How text and pictures are taken out of a page. Light to import: the API validates with it."""

from __future__ import annotations

import re
from enum import StrEnum


class ExtractionMethod(StrEnum):
    """The names of the first clients, and `auto`."""

    NATIVE = "native"  # the text layer
    AUTO = "auto"  # the text layer, and OCR on the pages that have none
    OCR = "ocr"
    BOTH = "both"  # the text layer, and what OCR finds beside it
    PREVIEW = "preview"  # small pictures, no text
    PREVIEW_AND_NATIVE = "preview_and_native"
    LLM = "llm"  # a vision model looks at the page
    LLM_AND_NATIVE = "llm_and_native"  # … and is given the text layer
    LLM_AND_OCR = "llm_and_ocr"  # … and is given what OCR reads

    @property
    def uses_model(self) -> bool:
        return self.value.startswith("llm")

    @property
    def uses_ocr(self) -> bool:
        return self in (self.AUTO, self.OCR, self.BOTH, self.LLM_AND_OCR)

    @property
    def makes_previews(self) -> bool:
        return self.value.startswith("preview")

    @property
    def reads_text(self) -> bool:
        return self is not self.PREVIEW

    def cache_name(self, *, language: str | None, model: str | None) -> str:
        """Where its results are kept: apart for each language and model that makes them different."""
        parts = [self.value]
        if language and (self.uses_ocr or self.uses_model):
            parts.append(language.lower())
        if model and self.uses_model:
            parts.append(model)
        return "-".join(re.sub(r"[^A-Za-z0-9_.]+", "_", part) for part in parts)
