"""The routes of the first clients that only look: same use-cases, their answer forms."""

from __future__ import annotations

from common.http.answers import OldBatch, OldJob, OldJobRow
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.lists import list_old_batches, list_old_jobs
from common.jobs.old_view import old_batch_view, old_job_rows, old_job_view
from common.jobs.queries import BatchQuery, JobQuery, OldBatchesQuery, OldJobsQuery
from common.jobs.waiting import batch_version, wait_for_batch, wait_for_job

OLD = "Old routes"

router = Router("job-status")


@router.route(
    "GET",
    "/api/event-job/jobs",
    "/api/events/jobs",
    operation=Operation(
        summary="Jobs, newest first", tag=OLD, query=OldJobsQuery, top={"jobs": list[OldJobRow], "total": int}
    ),
)
def jobs(request: Request) -> Answer:
    query = request.parse(OldJobsQuery)
    found, total = list_old_jobs(request.services, request.caller, query)
    rows = old_job_rows(request.services, found, whole=bool(query.batch_id))
    return Answer(top={"jobs": rows, "total": total})


@router.route(
    "GET",
    "/api/event-job/jobs/{job_id}",
    "/api/event-job/status/{job_id}",
    "/api/events/jobs/{job_id}",
    operation=Operation(
        summary="One job, with its archive inside",
        tag=OLD,
        query=JobQuery,
        top={"job": OldJob},
        has_etag=True,
    ),
)
def job(request: Request) -> Answer:
    found = wait_for_job(
        request.services, request.caller, request.arguments["job_id"], request.parse(JobQuery)
    )
    view = old_job_view(request.services, found)
    return Answer(top={"job": view}, etag=str(found.version))


@router.route(
    "GET",
    "/api/event-job/batches",
    "/api/events/batches",
    operation=Operation(
        summary="Batches, newest first",
        tag=OLD,
        query=OldBatchesQuery,
        top={"batches": list[OldBatch], "total": int},
    ),
)
def batches(request: Request) -> Answer:
    found, total = list_old_batches(request.services, request.caller, request.parse(OldBatchesQuery))
    rows = [old_batch_view(batch) for batch in found]
    return Answer(top={"batches": rows, "total": total})


@router.route(
    "GET",
    "/api/event-job/batches/{batch_id}",
    "/api/events/batches/{batch_id}",
    operation=Operation(
        summary="One batch", tag=OLD, query=BatchQuery, top={"batch": OldBatch}, has_etag=True
    ),
)
def batch(request: Request) -> Answer:
    found = wait_for_batch(
        request.services, request.caller, request.arguments["batch_id"], request.parse(BatchQuery)
    )
    view = old_batch_view(found) | {"job_ids": request.services.batches.member_ids(found.batch_id)}
    return Answer(top={"batch": view}, etag=batch_version(found))
