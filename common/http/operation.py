"""What the specification tells about a route, said where the route is declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from common.errors import SecretaryError
from common.jobs.queries import NoQuery, Query


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One route for its readers: the models are the ones that validate and that tests hold answers to."""

    summary: str
    tag: str
    query: type[Query] = NoQuery
    body: type[BaseModel] | None = None
    body_is_optional: bool = False
    status: int = 200
    other_statuses: tuple[int, ...] = ()  # with the same answer
    data: Any = None  # the type of `data` in the envelope
    top: Mapping[str, Any] = field(default_factory=dict)  # the types of what stands beside the envelope
    errors: tuple[type[SecretaryError], ...] = ()
    idempotent: bool = False  # takes an Idempotency-Key
    has_etag: bool = False
    media_type: str = "application/json"  # of the answer; anything but JSON comes without an envelope
    is_bare: bool = False  # JSON without the envelope
    schema_of_answer: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    redirects: bool = False  # may answer with a redirect
    redirects_always: bool = False
    example: Mapping[str, Any] | None = None  # a body that works
