"""Function status: one job or batch, lists, logs, and waiting for a change."""

from __future__ import annotations

import flask
import functions_framework

from common.http.message import Answer, Request
from common.http.router import Router
from common.jobs.model import Job
from common.jobs.read import list_batches, list_jobs, read_batch, read_job, wait_for_job
from common.jobs.view import batch_view, job_summary, job_view
from common.processing.registry import job_types

FILTERS = ("status", "job_type", "batch_id", "user_id")
MOST_ROWS = 200

router = Router("job-status")


@router.route("GET", "/api/jobs")
def jobs(request: Request) -> Answer:
    filters = {name: request.query[name] for name in FILTERS if request.query.get(name)}
    if request.query.get("tag"):
        filters["tags"] = request.query["tag"]
    limit, skip = _paging(request)
    found, total = list_jobs(request.services, request.caller, filters, limit=limit, skip=skip)
    rows = [job_summary(job) for job in found]
    return Answer(data={"jobs": rows, "total": total}, top={"jobs": rows, "total": total})


@router.route("GET", "/api/jobs/{job_id}")
def job(request: Request) -> Answer:
    found = _waited(request)
    inline = request.services.settings.limits.inline_markdown_bytes
    view = job_view(found, request.services.objects, inline_bytes=inline)
    results = found.results or {}
    return Answer(
        data=view,
        top={"job": view},
        is_from_cache=bool(results.get("is_from_cache")),
        llm_requests=tuple(results.get("llm_requests", ())),
    )


@router.route("GET", "/api/jobs/{job_id}/logs")
def logs(request: Request) -> Answer:
    limit, skip = _paging(request)
    lines = list(read_job(request.services, request.caller, request.arguments["job_id"]).logs)
    return Answer(data={"logs": lines[skip : skip + limit], "total": len(lines)}, top={"total": len(lines)})


@router.route("GET", "/api/batches")
def batches(request: Request) -> Answer:
    limit, skip = _paging(request)
    found, total = list_batches(request.services, request.caller, limit=limit, skip=skip)
    rows = [batch_view(batch) for batch in found]
    return Answer(data={"batches": rows, "total": total}, top={"batches": rows, "total": total})


@router.route("GET", "/api/batches/{batch_id}", "/api/batch/{batch_id}")
def batch(request: Request) -> Answer:
    view = batch_view(read_batch(request.services, request.caller, request.arguments["batch_id"]))
    return Answer(data=view, top={"batch": view})


@router.route("GET", "/api/job-types")
def types(request: Request) -> Answer:
    rows = [
        {"job_type": kind.name, "summary": kind.summary, "schema": kind.model().model_json_schema()}
        for kind in job_types().values()
    ]
    return Answer(data={"job_types": rows})


def _waited(request: Request) -> Job:
    longest = int(request.services.settings.http.max_wait_seconds)
    wait = request.integer("wait", 0, at_least=0, at_most=longest)
    job_id = request.arguments["job_id"]
    if not wait:
        return read_job(request.services, request.caller, job_id)
    since = request.integer("since", -1, at_least=-1, at_most=10**9)
    return wait_for_job(
        request.services, request.caller, job_id, since=None if since < 0 else since, wait=float(wait)
    )


def _paging(request: Request) -> tuple[int, int]:
    limit = request.integer("limit", 100, at_least=1, at_most=MOST_ROWS)
    return limit, request.integer("skip", 0, at_least=0, at_most=1_000_000)


@functions_framework.http
def status(request: flask.Request) -> flask.Response:
    return router(request)
