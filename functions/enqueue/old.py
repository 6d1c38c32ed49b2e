"""The routes of the first clients that create something: same use-cases, their answer forms."""

from __future__ import annotations

from common.errors import Conflict, Forbidden, UnknownJobType
from common.http.answers import BatchIds, JobIds, JobRow, OldBatch
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.old_view import old_batch_view
from common.jobs.requests import OldBatchRequest, OldJobRequest, parse_old_batch, parse_old_job
from common.jobs.submit import submit_batch, submit_job
from common.jobs.view import job_summary

OLD = "Old routes"
EXAMPLE_JOB = {
    "job_type": "session_processing",
    "parameters": {
        "event": "FOSDEM 2025",
        "session": "Welcome to FOSDEM",
        "url": "https://fosdem.org/2025/schedule/event/welcome/",
        "filename": "welcome_fosdem.md",
        "track": "Main Track",
    },
}

router = Router("job-enqueue")


@router.route(
    "POST",
    "/api/event-job/jobs",
    "/api/event-job/submit",
    "/api/events/jobs",
    operation=Operation(
        summary="Hand in a job", tag=OLD, body=OldJobRequest, status=202, data=JobIds,
        top={"job_id": str, "job": JobRow}, errors=(Forbidden, UnknownJobType, Conflict), idempotent=True,
        example=EXAMPLE_JOB,
    ),
)  # fmt: skip
def create_job(request: Request) -> Answer:
    job = submit_job(
        request.services, request.caller, parse_old_job(request.json()), key=request.idempotency_key
    )
    return Answer(
        status=202,
        data={"job_ids": [job.job_id]},
        top={"job_id": job.job_id, "job": job_summary(job)},
        parameters={"job_count": 1},
        headers={"Location": f"/api/event-job/jobs/{job.job_id}"},
    )


@router.route(
    "POST",
    "/api/event-job/batches",
    "/api/events/batches",
    operation=Operation(
        summary="Hand in many jobs at once", tag=OLD, body=OldBatchRequest, status=202, data=BatchIds,
        top={"batch_id": str, "batch": OldBatch}, errors=(Forbidden, UnknownJobType, Conflict),
        idempotent=True, example={"batch_name": "FOSDEM ecosocial", "jobs": [EXAMPLE_JOB]},
    ),
)  # fmt: skip
def create_batch(request: Request) -> Answer:
    batch, job_ids = submit_batch(
        request.services, request.caller, parse_old_batch(request.json()), key=request.idempotency_key
    )
    return Answer(
        status=202,
        data={"job_ids": job_ids, "batch_id": batch.batch_id},
        top={"batch_id": batch.batch_id, "batch": old_batch_view(batch) | {"job_ids": job_ids}},
        parameters={"job_count": batch.total_jobs},
        headers={"Location": f"/api/event-job/batches/{batch.batch_id}"},
    )
