"""The routes of the first clients that create something: same use-cases, their answer forms."""

from __future__ import annotations

from common.http.message import Answer, Request
from common.http.router import Router
from common.jobs.old_view import old_batch_view
from common.jobs.requests import parse_old_batch, parse_old_job
from common.jobs.submit import submit_batch, submit_job
from common.jobs.view import job_summary

router = Router("job-enqueue")


@router.route("POST", "/api/event-job/jobs", "/api/event-job/submit", "/api/events/jobs")
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


@router.route("POST", "/api/event-job/batches", "/api/events/batches")
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
