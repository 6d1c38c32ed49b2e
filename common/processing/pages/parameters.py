"""What the job types that read a document have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from common.processing.source import SourceParameters

Language = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$", max_length=20)]


class DocumentParameters(SourceParameters):
    """One document, and a template that its text may be written by."""

    template: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    context: dict[str, Any] | None = None
    language: Language | None = None
    create_archive: bool = True
