"""A request and an answer as handlers see them, free of any web framework."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from common.access import Caller
from common.errors import BadRequest, ValidationFailed
from common.services import Services


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
        """The body as an object, or a clear error."""
        try:
            value = json.loads(self.body or b"{}", parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"The body is not valid JSON: {error}. Expected a JSON object.") from None
        if not isinstance(value, dict):
            raise BadRequest(f"Expected a JSON object as body, found {type(value).__name__}.")
        return value

    def integer(self, name: str, default: int, *, at_least: int, at_most: int) -> int:
        """A number of the query string within its bounds."""
        text = self.query.get(name)
        if text is None or text == "":
            return default
        if not text.lstrip("-").isdigit() or len(text) > 12 or not at_least <= int(text) <= at_most:
            problem = {"field": f"query.{name}", "message": f"expected a whole number from {at_least} to {at_most}"}
            raise ValidationFailed(f"{problem['field']}: {problem['message']}", details={"fields": [problem]})
        return int(text)

    def flag(self, name: str, *, default: bool) -> bool:
        text = self.query.get(name, "").lower()
        if text in ("", "1", "true", "yes", "0", "false", "no"):
            return default if text == "" else text in ("1", "true", "yes")
        problem = {"field": f"query.{name}", "message": "expected true or false"}
        raise ValidationFailed(f"{problem['field']}: {problem['message']}", details={"fields": [problem]})


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a handler gives back; the router puts it into the envelope."""

    status: int = 200
    data: Any = None
    top: Mapping[str, Any] = field(default_factory=dict)  # job, jobs, batch, batches, total beside the envelope
    parameters: Mapping[str, Any] = field(default_factory=dict)  # echoed in `request`
    headers: Mapping[str, str] = field(default_factory=dict)
    is_from_cache: bool = False
    llm_requests: tuple[Any, ...] = ()
    bare: Any = None  # sent as it is, without an envelope
    content: bytes | None = None  # sent as these bytes
    media_type: str = "application/json"


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
