"""Function notify: delivers webhooks; not built yet beyond its route."""

from __future__ import annotations

import flask
import functions_framework

from common.errors import NotImplementedYet
from common.http.message import Answer, Request
from common.http.router import Router

router = Router("notify")


@router.route("POST", "/events", "/")
def not_yet(request: Request) -> Answer:
    raise NotImplementedYet("Webhooks are not built yet.")


@functions_framework.http
def notify(request: flask.Request) -> flask.Response:
    return router(request)
