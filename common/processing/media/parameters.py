"""What `audio` and `video` jobs take."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from common.processing.languages import Language, OptionalLanguage
from common.processing.source import SourceParameters
from common.processing.transform.template import MAX_CHARACTERS


class MediaParameters(SourceParameters):
    """One recording; with a template its transcript is written anew by it."""

    source_language: OptionalLanguage = None  # None: recognised
    target_language: Language = "de"
    template: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    template_content: Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)] | None = None
    context: dict[str, Any] = Field(default_factory=dict)
    create_archive: bool = True
