"""What a caller says about a file before sending it; the signed URL is bound to just that."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from common.jobs.requests import Body

MEDIA_TYPE = r"^[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}$"


class UploadRequest(Body):
    """One file. Its bytes go to the URL of the answer, with the headers of the answer."""

    filename: Annotated[str, Field(min_length=1, max_length=500)]
    size: Annotated[int, Field(ge=1, le=2**53)]
    content_type: Annotated[str, Field(pattern=MEDIA_TYPE)] = "application/octet-stream"
    user_id: str | None = None  # whose it is, where the caller may act for others
