"""The smallest useful function: reads its body and answers with an object."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def hello(request: flask.Request) -> tuple[dict[str, object], int]:
    body = request.get_json(silent=True) or {}
    return {"hello": "world", "fields": len(body)}, 200
