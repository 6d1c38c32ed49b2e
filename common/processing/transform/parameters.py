"""What a `transformer` job takes."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, model_validator

from common.processing.base import Parameters, exactly_one
from common.processing.languages import Language, OptionalLanguage
from common.processing.source import Url
from common.processing.transform.template import MAX_CHARACTERS

TEXT_CHARACTERS = 5_000_000
SOURCES = ("text", "url", "upload_id", "file_path")
TEMPLATES = ("template", "template_content")


class TransformerParameters(Parameters):
    """A text, wherever it is, and the template to write it by."""

    model_config = ConfigDict(json_schema_extra=exactly_one(SOURCES, TEMPLATES))

    text: Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS)] | None = None
    url: Url | None = None
    upload_id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    file_path: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    template: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    template_content: Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)] | None = None
    context: dict[str, Any] = Field(default_factory=dict)
    source_language: OptionalLanguage = None
    target_language: Language = "de"
    filename: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    use_cache: bool = True

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        for names in (SOURCES, TEMPLATES):
            given = [name for name in names if getattr(self, name)]
            if len(given) != 1:
                found = " and ".join(given) or "none of them"
                raise ValueError(f"expected exactly one of {', '.join(names)}; found {found}")
        return self
