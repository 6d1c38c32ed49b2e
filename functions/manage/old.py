"""The routes of the first clients that change something: same use-cases, their answer forms."""

from __future__ import annotations

from common.errors import NotImplementedYet
from common.http.message import Answer, Request
from common.http.router import Router

router = Router("job-manage")


@router.route("PUT", "/api/events/jobs/{job_id}")
@router.route("DELETE", "/api/event-job/jobs/{job_id}", "/api/events/jobs/{job_id}")
@router.route("DELETE", "/api/event-job/batches/{batch_id}", "/api/events/batches/{batch_id}")
@router.route("POST", "/api/event-job/{job_id}/restart", "/api/event-job/jobs/{job_id}/restart")
@router.route("POST", "/api/event-job/batches/{batch_id}/archive")
@router.route("POST", "/api/event-job/batches/{batch_id}/toggle-active")
def not_yet(request: Request) -> Answer:
    raise NotImplementedYet(f"{request.method} {request.path} is not built yet.")
