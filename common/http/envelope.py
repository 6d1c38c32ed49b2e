"""The one form of every answer, errors included."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from common.clock import utc_now
from common.errors import SecretaryError
from common.http.message import Answer


def encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    raise TypeError(f"{type(value).__name__} does not belong into an answer")


def success(answer: Answer, *, processor: str, request_id: str, started: datetime) -> dict[str, Any]:
    return {
        "status": "success",
        "request": {"processor": processor, "timestamp": started, "parameters": dict(answer.parameters)},
        "process": _process(
            processor, request_id, started, is_from_cache=answer.is_from_cache, llm=list(answer.llm_requests)
        ),
        "data": answer.data,
        "error": None,
        **answer.top,
    }


def failure(error: SecretaryError, *, processor: str, request_id: str, started: datetime) -> dict[str, Any]:
    return {
        "status": "error",
        "request": {"processor": processor, "timestamp": started, "parameters": {}},
        "process": _process(processor, request_id, started, is_from_cache=False, llm=[]),
        "data": None,
        "error": error.as_dict() | {"request_id": request_id},
    }


def old_failure(error: SecretaryError, **where: Any) -> dict[str, Any]:
    """On the old routes `error` is a text, because their clients print it."""
    return failure(error, **where) | {
        "error": error.message,
        "message": error.message,
        "error_code": error.code,
        "details": error.details,
    }


def _process(
    processor: str, request_id: str, started: datetime, *, is_from_cache: bool, llm: list[Any]
) -> dict[str, Any]:
    completed = utc_now()
    return {
        "id": request_id,
        "main_processor": processor,
        "started": started,
        "completed": completed,
        "duration": round((completed - started).total_seconds() * 1000),
        "is_from_cache": is_from_cache,
        "llm_info": {"requests": llm},
    }
