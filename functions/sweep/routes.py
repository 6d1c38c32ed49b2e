"""Function sweep: every minute, find what was lost."""

from __future__ import annotations

from common.http.message import Answer, Request
from common.http.router import Router
from common.jobs.sweep import sweep as sweep_now

router = Router("sweep")


@router.route("POST", "/events", "/")
def tick(request: Request) -> Answer:
    return Answer(bare=vars(sweep_now(request.services)))
