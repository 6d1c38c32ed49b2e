"""Where a job's bytes come from: exactly one of a URL, an upload or a file below a configured root."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from common.processing.base import Parameters, exactly_one

Url = Annotated[str, Field(min_length=8, max_length=4096, pattern=r"^https?://")]
FIELDS = ("url", "upload_id", "file_path")


class SourceParameters(Parameters):
    """Base of the job types that read one file."""

    model_config = ConfigDict(json_schema_extra=exactly_one(FIELDS))

    url: Url | None = None
    upload_id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    file_path: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    use_cache: bool = True
    force_overwrite: bool = False

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [name for name in FIELDS if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(f"expected exactly one of url, upload_id, file_path; found {found}")
        return self
