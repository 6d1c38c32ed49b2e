"""Function enqueue: takes jobs and batches in and answers at once with their ids."""

from __future__ import annotations

from common.errors import (
    Conflict,
    DownloadFailed,
    DownloadTooLarge,
    Forbidden,
    NotFound,
    UnknownJobType,
    UnsupportedFile,
    UrlNotAllowed,
)
from common.http.answers import BatchDetail, BatchIds, Estimate, ImportedSchedule, JobIds, JobRow, UploadPlace
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.import_request import ImportRequest
from common.jobs.requests import BatchRequest, JobRequest
from common.jobs.submit import submit_batch, submit_job
from common.jobs.view import batch_view, job_summary
from common.uploads.request import UploadRequest
from common.uploads.use import announce_upload
from functions.enqueue import old

JOBS, BATCHES = "Jobs", "Batches"
EXAMPLE_JOB = {"job_type": "pdf", "parameters": {"url": "https://example.org/report.pdf"}}

router = Router("job-enqueue")
router.include(old.router)


@router.route(
    "POST",
    "/api/jobs",
    operation=Operation(
        summary="Hand in a job", tag=JOBS, body=JobRequest, status=202, data=JobIds, top={"job": JobRow},
        errors=(Forbidden, UnknownJobType, Conflict, NotFound), idempotent=True, example=EXAMPLE_JOB,
    ),
)  # fmt: skip
def create_job(request: Request) -> Answer:
    job = submit_job(request.services, request.caller, request.json(), key=request.idempotency_key)
    return Answer(
        status=202,
        data={"job_ids": [job.job_id]},
        top={"job": job_summary(job)},
        parameters={"job_count": 1},
        headers={"Location": f"/api/jobs/{job.job_id}"},
    )


@router.route(
    "POST",
    "/api/batches",
    "/api/jobs/batch",
    operation=Operation(
        summary="Hand in many jobs at once", tag=BATCHES, body=BatchRequest, status=202, data=BatchIds,
        top={"batch": BatchDetail}, errors=(Forbidden, UnknownJobType, Conflict, NotFound), idempotent=True,
        example={"batch_name": "Reports", "jobs": [EXAMPLE_JOB]},
    ),
)  # fmt: skip
def create_batch(request: Request) -> Answer:
    batch, job_ids = submit_batch(
        request.services, request.caller, request.json(), key=request.idempotency_key
    )
    return Answer(
        status=202,
        data={"job_ids": job_ids, "batch_id": batch.batch_id},
        top={"batch": batch_view(batch)},
        parameters={"job_count": batch.total_jobs},
        headers={"Location": f"/api/batches/{batch.batch_id}"},
    )


@router.route(
    "POST",
    "/api/batches/import",
    operation=Operation(
        summary="Make a batch of an event's schedule", tag=BATCHES, body=ImportRequest, status=202,
        other_statuses=(200,), data=ImportedSchedule, top={"batch": BatchDetail | None},
        errors=(Forbidden, UnsupportedFile, UrlNotAllowed, DownloadFailed, DownloadTooLarge),
        idempotent=True, example={"url": "https://example.org/schedule.xml", "dry_run": True},
    ),
)  # fmt: skip
def create_from_schedule(request: Request) -> Answer:
    from common.jobs.schedule_import import import_schedule  # brings the HTTP client along

    done = import_schedule(request.services, request.caller, request.json(), key=request.idempotency_key)
    if done.batch is None:
        return Answer(data=done.as_data(), top={"batch": None})
    return Answer(
        status=202,
        data=done.as_data(),
        top={"batch": batch_view(done.batch)},
        parameters={"job_count": done.batch.total_jobs},
        headers={"Location": f"/api/batches/{done.batch.batch_id}"},
    )


@router.route(
    "POST",
    "/api/uploads",
    operation=Operation(
        summary="Announce a file, then PUT it to the URL of the answer",
        tag=JOBS, body=UploadRequest, status=201,
        data=UploadPlace, errors=(Forbidden, Conflict), idempotent=True,
        example={"filename": "report.pdf", "size": 12_345, "content_type": "application/pdf"},
    ),
)  # fmt: skip
def create_upload(request: Request) -> Answer:
    made = announce_upload(request.services, request.caller, request.json(), key=request.idempotency_key)
    return Answer(status=201, data=made.as_data(), headers={"Cache-Control": "no-store"})


@router.route(
    "POST",
    "/api/estimate",
    operation=Operation(
        summary="What a job would be, without running it", tag=JOBS, body=JobRequest, data=Estimate,
        errors=(Forbidden, UnknownJobType, DownloadFailed, UrlNotAllowed),
    ),
)  # fmt: skip
def foresee(request: Request) -> Answer:
    from common.jobs.estimate import estimate  # brings the HTTP client along

    return Answer(data=estimate(request.services, request.caller, request.json()))
