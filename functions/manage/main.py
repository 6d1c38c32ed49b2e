"""Function manage: cancel, restart, delete and the like; not built yet beyond its routes."""

from __future__ import annotations

import flask
import functions_framework

from common.errors import NotImplementedYet
from common.http.message import Answer, Request
from common.http.router import Router
from functions.manage import keys, old, webhooks

router = Router("job-manage")
router.include(keys.router)
router.include(old.router)
router.include(webhooks.router)


@router.route("PUT", "/api/jobs/{job_id}")
@router.route("DELETE", "/api/jobs/{job_id}", "/api/batches/{batch_id}")
@router.route(
    "POST",
    "/api/jobs/{job_id}/cancel",
    "/api/jobs/{job_id}/restart",
    "/api/batches/{batch_id}/cancel",
    "/api/batches/{batch_id}/retry-failed",
    "/api/batches/{batch_id}/archive",
    "/api/batches/{batch_id}/toggle-active",
)
def not_yet(request: Request) -> Answer:
    raise NotImplementedYet(f"{request.method} {request.path} is not built yet.")


@functions_framework.http
def manage(request: flask.Request) -> flask.Response:
    return router(request)
