"""Function status: one job or batch, lists, logs, and waiting for a change."""

from __future__ import annotations

from common.http.answers import (
    BatchDetail,
    BatchPage,
    JobDetail,
    JobPage,
    JobTypes,
    LogPage,
    Templates,
    page_of,
)  # fmt: skip
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.lists import list_batches, list_jobs
from common.jobs.queries import BatchesQuery, BatchQuery, JobQuery, JobsQuery, LogsQuery
from common.jobs.read import read_job
from common.jobs.view import batch_view, job_summary, job_view
from common.jobs.waiting import batch_version, wait_for_batch, wait_for_job
from common.processing.registry import job_types
from functions.status import old

JOBS, BATCHES = "Jobs", "Batches"

router = Router("job-status")
router.include(old.router)


@router.route(
    "GET",
    "/api/jobs",
    operation=Operation(
        summary="Jobs, newest first", tag=JOBS, query=JobsQuery, data=JobPage, top=page_of(JobPage)
    ),
)
def jobs(request: Request) -> Answer:
    page = list_jobs(request.services, request.caller, request.parse(JobsQuery))
    shown = page.told("jobs", [job_summary(job) for job in page.rows])
    return Answer(data=shown, top=shown)


@router.route(
    "GET",
    "/api/jobs/{job_id}",
    operation=Operation(
        summary="One job; waits for its next change if asked to",
        tag=JOBS,
        query=JobQuery,
        data=JobDetail,
        top={"job": JobDetail},
        has_etag=True,
    ),
)
def job(request: Request) -> Answer:
    found = wait_for_job(
        request.services, request.caller, request.arguments["job_id"], request.parse(JobQuery)
    )
    inline = request.services.settings.limits.inline_markdown_bytes
    view = job_view(found, request.services.objects, inline_bytes=inline)
    results = found.results or {}
    return Answer(
        data=view,
        top={"job": view},
        etag=str(found.version),
        is_from_cache=bool(results.get("is_from_cache")),
        llm_requests=tuple(results.get("llm_requests", ())),
    )


@router.route(
    "GET",
    "/api/jobs/{job_id}/logs",
    operation=Operation(
        summary="What a job has logged", tag=JOBS, query=LogsQuery, data=LogPage, top={"total": int}
    ),
)
def logs(request: Request) -> Answer:
    query = request.parse(LogsQuery)
    lines = list(read_job(request.services, request.caller, request.arguments["job_id"]).logs)
    shown = {"logs": lines[query.skip : query.skip + query.limit], "total": len(lines)}
    return Answer(data=shown, top={"total": len(lines)})


@router.route(
    "GET",
    "/api/batches",
    operation=Operation(
        summary="Batches, newest first",
        tag=BATCHES,
        query=BatchesQuery,
        data=BatchPage,
        top=page_of(BatchPage),
    ),
)
def batches(request: Request) -> Answer:
    page = list_batches(request.services, request.caller, request.parse(BatchesQuery))
    shown = page.told("batches", [batch_view(batch) for batch in page.rows])
    return Answer(data=shown, top=shown)


@router.route(
    "GET",
    "/api/batches/{batch_id}",
    "/api/batch/{batch_id}",
    operation=Operation(
        summary="One batch; waits for its next change if asked to",
        tag=BATCHES,
        query=BatchQuery,
        data=BatchDetail,
        top={"batch": BatchDetail},
        has_etag=True,
    ),
)
def batch(request: Request) -> Answer:
    found = wait_for_batch(
        request.services, request.caller, request.arguments["batch_id"], request.parse(BatchQuery)
    )
    view = batch_view(found)
    return Answer(data=view, top={"batch": view}, etag=batch_version(found))


@router.route(
    "GET",
    "/api/job-types",
    operation=Operation(summary="What kinds of job there are, and what each takes", tag=JOBS, data=JobTypes),
)
def types(request: Request) -> Answer:
    rows = [
        {"job_type": kind.name, "summary": kind.summary, "schema": kind.model().model_json_schema()}
        for kind in job_types().values()
    ]
    return Answer(data={"job_types": rows})


@router.route(
    "GET", "/api/templates", operation=Operation(summary="Templates by language", tag=JOBS, data=Templates)
)
def templates(request: Request) -> Answer:
    from common.processing.transform.library import list_templates
    from common.processing.transform.stored import stored_templates

    options = request.services.settings.templates
    stored = stored_templates(request.services.objects, options.prefix)
    by_name: dict[str, list[dict[str, str | bool]]] = {}
    for found in list_templates(options.folders, stored=stored):
        entry: dict[str, str | bool] = {"language": found.language, "bundled": found.bundled}
        by_name.setdefault(found.name, []).append(entry)
    rows = [{"name": name, "languages": entries} for name, entries in by_name.items()]
    return Answer(data={"templates": rows})
