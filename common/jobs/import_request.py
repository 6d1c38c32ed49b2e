"""What a caller says about a schedule to import."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from common.jobs.requests import FIRST_PRIORITY, LAST_PRIORITY, AccessControl, Body, Name, Names
from common.processing.source import Url


def _as_list(value: Any) -> Any:
    return [str(value)] if isinstance(value, str | int) and not isinstance(value, bool) else value


Choices = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], BeforeValidator(_as_list)]


class ImportRequest(Body):
    """A schedule, what to take of it, and `parameters` that all its jobs share."""

    url: Url | None = None
    upload_id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    track: Choices = Field(default_factory=list)
    room: Choices = Field(default_factory=list)
    day: Choices = Field(default_factory=list)
    type: Choices = Field(default_factory=list)
    language: Choices = Field(default_factory=list)
    limit: Annotated[int, Field(ge=1)] | None = None
    dry_run: bool = False
    batch_name: Name | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    priority: Annotated[int, Field(ge=FIRST_PRIORITY, le=LAST_PRIORITY)] = 1
    tags: Names = Field(default_factory=list)
    access_control: AccessControl = AccessControl()
    webhook: dict[str, Any] | None = None  # checked where the batch is
    user_id: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.url) == bool(self.upload_id):
            raise ValueError("expected exactly one of url, upload_id")
        return self
