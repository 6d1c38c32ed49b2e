"""Function session: a small session in one call; not built yet beyond its route."""

from __future__ import annotations

import flask
import functions_framework

from common.errors import NotImplementedYet
from common.http.message import Answer, Request
from common.http.router import Router

router = Router("session-process")


@router.route("POST", "/api/session/process")
def not_yet(request: Request) -> Answer:
    raise NotImplementedYet(f"{request.path} is not built yet.")


@functions_framework.http
def session(request: flask.Request) -> flask.Response:
    return router(request)
