"""Function notify: delivers the webhooks of one queue event."""

from __future__ import annotations

from common.http.message import Answer, Request
from common.http.router import Router
from common.webhooks.worker import notify_event

router = Router("notify")


@router.route("POST", "/events", "/")
def event(request: Request) -> Answer:
    return Answer(bare=notify_event(request.services, request.json()))
