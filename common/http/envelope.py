"""The one form of every answer, errors included."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.clock import utc_now
from common.errors import SecretaryError
from common.http.message import Answer
from common.http.titles import DEFAULT_LANGUAGE, title

OLD_ROUTES = ("/api/event-job/", "/api/events/")


@dataclass(frozen=True, kw_only=True)
class Where:
    """What every answer tells of its request."""

    processor: str
    request_id: str
    started: datetime
    path: str = ""
    language: str = DEFAULT_LANGUAGE


def encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    raise TypeError(f"{type(value).__name__} does not belong into an answer")


def success(answer: Answer, where: Where) -> dict[str, Any]:
    return {
        "status": "success",
        "request": _request(where, dict(answer.parameters)),
        "process": _process(where, is_from_cache=answer.is_from_cache, llm=list(answer.llm_requests)),
        "data": answer.data,
        "error": None,
        **answer.top,
    }


def failure(error: SecretaryError, where: Where) -> dict[str, Any]:
    """On the old routes `error` is a text, because their clients print it."""
    told = error.as_dict()
    head = title(told["code"], where.language)
    refused = {
        "status": "error",
        "request": _request(where, {}),
        "process": _process(where, is_from_cache=False, llm=[]),
        "data": None,
        "error": told | {"title": head, "request_id": where.request_id},
    }
    if not where.path.startswith(OLD_ROUTES):
        return refused
    return refused | {
        "error": error.message,
        "title": head,
        "message": error.message,
        "error_code": told["code"],
        "details": error.details,
    }


def _request(where: Where, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"processor": where.processor, "timestamp": where.started, "parameters": parameters}


def _process(where: Where, *, is_from_cache: bool, llm: list[Any]) -> dict[str, Any]:
    completed = utc_now()
    return {
        "id": where.request_id,
        "main_processor": where.processor,
        "started": where.started,
        "completed": completed,
        "duration": round((completed - where.started).total_seconds() * 1000),
        "is_from_cache": is_from_cache,
        "llm_info": {"requests": llm},
    }
