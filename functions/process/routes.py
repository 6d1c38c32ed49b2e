"""Function process: runs the jobs of one queue event and answers which messages must come again."""

from __future__ import annotations

from common.http.message import Answer, Request
from common.http.router import Router
from common.jobs.event import process_event

router = Router("process")


@router.route("POST", "/events", "/")
def event(request: Request) -> Answer:
    return Answer(bare=process_event(request.services, request.json()))
