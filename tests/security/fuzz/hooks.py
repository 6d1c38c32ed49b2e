"""What Schemathesis must know about the API beyond its specification."""

from __future__ import annotations

import secrets
from typing import Any

import schemathesis

from common.http.message import IDEMPOTENCY_KEY


@schemathesis.hook
def map_headers(context: Any, headers: dict[str, Any] | None) -> dict[str, Any] | None:
    """A key that was used with another body is refused, as it should be: each valid one is made new."""
    key = (headers or {}).get("Idempotency-Key")
    if headers is not None and isinstance(key, str) and IDEMPOTENCY_KEY.fullmatch(key):
        headers["Idempotency-Key"] = secrets.token_hex(8)
    return headers
