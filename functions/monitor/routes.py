"""Function monitor: the dashboard, is it alive, is it ready."""

from __future__ import annotations

from common.errors import Forbidden, Unavailable
from common.http.answers import Alive, Ready, Statistics
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.queries import StatisticsQuery
from common.jobs.statistics import read_statistics
from common.metrics.collect import metrics
from common.metrics.prometheus import MEDIA_TYPE
from common.readiness import readiness
from functions.monitor import dashboard, specification

TAG = "Watching it"
router = Router("monitor")
router.include(dashboard.router)
router.include(specification.router)


@router.route("GET", "/health", operation=Operation(summary="Is it alive", tag=TAG, data=Alive))
def health(request: Request) -> Answer:
    return Answer(data={"alive": True})


@router.route(
    "GET", "/ready", operation=Operation(summary="Can it work", tag=TAG, data=Ready, errors=(Unavailable,))
)
def ready(request: Request) -> Answer:
    parts = readiness(request.services)
    if not all(parts.values()):
        raise Unavailable(
            "Not ready: " + ", ".join(name for name, ok in parts.items() if not ok), details=parts
        )
    return Answer(data={"ready": True, "parts": parts})


@router.route(
    "GET",
    "/metrics",
    operation=Operation(
        summary="Figures for Prometheus", tag=TAG, media_type=MEDIA_TYPE, errors=(Forbidden,)
    ),
)
def prometheus(request: Request) -> Answer:
    return Answer(content=metrics(request.services, request.caller), media_type=MEDIA_TYPE)


@router.route(
    "GET",
    "/api/monitoring/events/stats",
    operation=Operation(
        summary="What was done, what runs, what waits", tag=TAG, query=StatisticsQuery, data=Statistics,
        top={"stats": Statistics},
    ),
)  # fmt: skip
def stats(request: Request) -> Answer:
    """`stats` stands beside the envelope too, where the first dashboard read it."""
    window = request.parse(StatisticsQuery).window
    found = read_statistics(request.services, request.caller, window=window)
    return Answer(data=found, top={"stats": found})
