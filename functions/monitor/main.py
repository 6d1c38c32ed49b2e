"""Function monitor: is it alive, is it ready."""

from __future__ import annotations

import flask
import functions_framework

from common.errors import NotImplementedYet, Unavailable
from common.http.message import Answer, Request
from common.http.router import Router
from common.metrics.collect import metrics
from common.metrics.prometheus import MEDIA_TYPE
from common.readiness import readiness

router = Router("monitor")


@router.route("GET", "/health")
def health(request: Request) -> Answer:
    return Answer(data={"alive": True})


@router.route("GET", "/ready")
def ready(request: Request) -> Answer:
    parts = readiness(request.services)
    if not all(parts.values()):
        raise Unavailable(
            "Not ready: " + ", ".join(name for name, ok in parts.items() if not ok), details=parts
        )
    return Answer(data={"ready": True, "parts": parts})


@router.route("GET", "/metrics")
def prometheus(request: Request) -> Answer:
    return Answer(content=metrics(request.services, request.caller), media_type=MEDIA_TYPE)


@router.route("GET", "/monitoring/events", "/api/monitoring/events/stats", "/api/openapi.json", "/docs")
def not_yet(request: Request) -> Answer:
    raise NotImplementedYet(f"{request.path} is not built yet.")


@functions_framework.http
def monitor(request: flask.Request) -> flask.Response:
    return router(request)
