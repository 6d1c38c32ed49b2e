"""A request and an answer as handlers see them, free of any web framework."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from pydantic import ValidationError

from common.access import Caller
from common.errors import BadRequest
from common.http.body import read_object
from common.jobs.queries import Query
from common.jobs.requests import refusal
from common.services import Services

IDEMPOTENCY_KEY = re.compile(r"[!-~]{1,255}")
Wanted = TypeVar("Wanted", bound=Query)


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call: who asks, what for, and the services to answer with."""

    method: str
    path: str
    arguments: Mapping[str, str]  # from the path
    query: Mapping[str, str]
    headers: Mapping[str, str]  # lower-case names
    body: bytes
    caller: Caller
    request_id: str
    started: datetime
    services: Services

    def json(self) -> dict[str, Any]:
        """The body as an object that can be stored, or a clear error."""
        return read_object(self.body)

    def parse(self, model: type[Wanted]) -> Wanted:
        """The query string as its model."""
        try:
            return model.model_validate(dict(self.query))
        except ValidationError as error:
            raise refusal(error, "query.") from None

    @property
    def idempotency_key(self) -> str | None:
        """What makes a repeated POST harmless; an empty header is a mistake, not a wish."""
        key = self.headers.get("idempotency-key")
        if key is not None and not IDEMPOTENCY_KEY.fullmatch(key):
            raise BadRequest("Idempotency-Key: expected 1 to 255 visible ASCII characters without blanks.")
        return key


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a handler gives back; the router puts it into the envelope."""

    status: int = 200
    data: Any = None
    top: Mapping[str, Any] = field(
        default_factory=dict
    )  # job, jobs, batch, batches, total beside the envelope
    parameters: Mapping[str, Any] = field(default_factory=dict)  # echoed in `request`
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str | None = None  # names this state of the thing; who has it already gets 304
    is_from_cache: bool = False
    llm_requests: tuple[Any, ...] = ()
    bare: Any = None  # sent as it is, without an envelope
    content: bytes | None = None  # sent as these bytes
    media_type: str = "application/json"
