"""Function manage: change, cancel, restart, pause, archive and delete."""

from __future__ import annotations

from typing import Any

from common.errors import Conflict, Forbidden
from common.http.answers import BatchDetail, BatchRemoval, JobRemoval, JobRow, RetriedBatch
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.batch_control import (
    ActiveRequest,
    ArchiveRequest,
    archive_batch,
    cancel_batch,
    delete_batch,
    retry_failed,
    toggle_active,
)
from common.jobs.control import JobChange, RestartRequest, cancel_job, delete_job, restart_job, update_job
from common.jobs.model import Batch, Job
from common.jobs.view import batch_view, job_summary
from functions.manage import keys, old, webhooks

JOBS, BATCHES = "Jobs", "Batches"
JOB: dict[str, Any] = {"tag": JOBS, "data": JobRow, "top": {"job": JobRow}, "errors": (Forbidden, Conflict)}
BATCH: dict[str, Any] = {
    "tag": BATCHES, "data": BatchDetail, "top": {"batch": BatchDetail}, "errors": (Forbidden,),
}  # fmt: skip

router = Router("job-manage")
router.include(keys.router)
router.include(old.router)
router.include(webhooks.router)


@router.route(
    "PUT",
    "/api/jobs/{job_id}",
    operation=Operation(summary="Change a job", body=JobChange, other_statuses=(202,), **JOB),
)
def update(request: Request) -> Answer:
    return _job(update_job(request.services, request.caller, request.arguments["job_id"], request.json()))


@router.route(
    "POST",
    "/api/jobs/{job_id}/cancel",
    operation=Operation(summary="Stop a job", other_statuses=(202,), **JOB),
)
def cancel(request: Request) -> Answer:
    return _job(cancel_job(request.services, request.caller, request.arguments["job_id"]))


@router.route(
    "POST",
    "/api/jobs/{job_id}/restart",
    operation=Operation(
        summary="Run a finished job once more",
        body=RestartRequest,
        body_is_optional=True,
        other_statuses=(202,),
        **JOB,
    ),
)
def restart(request: Request) -> Answer:
    return _job(restart_job(request.services, request.caller, request.arguments["job_id"], request.json()))


@router.route(
    "DELETE",
    "/api/jobs/{job_id}",
    operation=Operation(
        summary="Remove a job and its files",
        tag=JOBS,
        data=JobRemoval,
        other_statuses=(202,),
        errors=(Forbidden,),
    ),
)
def delete(request: Request) -> Answer:
    job_id = request.arguments["job_id"]
    return _removal({"job_id": job_id}, gone=delete_job(request.services, request.caller, job_id))


@router.route(
    "POST", "/api/batches/{batch_id}/cancel", operation=Operation(summary="Stop all jobs of a batch", **BATCH)
)
def cancel_whole_batch(request: Request) -> Answer:
    return _batch(cancel_batch(request.services, request.caller, request.arguments["batch_id"]))


@router.route(
    "POST",
    "/api/batches/{batch_id}/retry-failed",
    operation=Operation(
        summary="Run the failed jobs of a batch once more",
        tag=BATCHES,
        status=202,
        data=RetriedBatch,
        top={"batch": BatchDetail},
        errors=(Forbidden,),
    ),
)
def retry_failed_members(request: Request) -> Answer:
    batch, job_ids = retry_failed(request.services, request.caller, request.arguments["batch_id"])
    view = batch_view(batch)
    return Answer(status=202, data={"batch": view, "job_ids": job_ids}, top={"batch": view})


@router.route(
    "POST",
    "/api/batches/{batch_id}/archive",
    operation=Operation(
        summary="Put a batch out of sight", body=ArchiveRequest, body_is_optional=True, **BATCH
    ),
)
def archive(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _batch(archive_batch(request.services, request.caller, batch_id, request.json()))


@router.route(
    "POST",
    "/api/batches/{batch_id}/toggle-active",
    operation=Operation(
        summary="Pause a batch, or let it go on", body=ActiveRequest, body_is_optional=True, **BATCH
    ),
)
def switch_active(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _batch(toggle_active(request.services, request.caller, batch_id, request.json()))


@router.route(
    "DELETE",
    "/api/batches/{batch_id}",
    operation=Operation(
        summary="Remove a batch, its jobs and their files",
        tag=BATCHES,
        data=BatchRemoval,
        other_statuses=(202,),
        errors=(Forbidden,),
    ),
)
def delete_whole_batch(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _removal({"batch_id": batch_id}, gone=delete_batch(request.services, request.caller, batch_id))


def _job(job: Job) -> Answer:
    """202 while the work behind the answer is still to be done."""
    view = job_summary(job)
    return Answer(status=200 if job.is_final else 202, data=view, top={"job": view})


def _batch(batch: Batch) -> Answer:
    view = batch_view(batch)
    return Answer(data=view, top={"batch": view})


def _removal(what: dict[str, str], *, gone: bool) -> Answer:
    return Answer(status=200 if gone else 202, data=what | {"deleted": gone})
