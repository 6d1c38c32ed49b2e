"""The routes of the first clients that change something: same use-cases, their answer forms."""

from __future__ import annotations

from common.errors import Conflict, Forbidden
from common.http.answers import BatchRemoval, JobRemoval, OldBatch, OldJobRow
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.batch_control import (
    ActiveRequest,
    ArchiveRequest,
    archive_batch,
    delete_batch,
    toggle_active,
)
from common.jobs.control import JobChange, RestartRequest, delete_job, restart_job, update_job
from common.jobs.model import Batch, Job
from common.jobs.old_view import old_batch_view, old_job_summary

OLD = "Old routes"
router = Router("job-manage")


@router.route(
    "PUT",
    "/api/events/jobs/{job_id}",
    operation=Operation(
        summary="Change a job", tag=OLD, body=JobChange, top={"job": OldJobRow}, errors=(Forbidden, Conflict)
    ),
)
def update(request: Request) -> Answer:
    return _job(update_job(request.services, request.caller, request.arguments["job_id"], request.json()))


@router.route(
    "POST",
    "/api/event-job/{job_id}/restart",
    "/api/event-job/jobs/{job_id}/restart",
    operation=Operation(
        summary="Run a finished job once more", tag=OLD, body=RestartRequest, body_is_optional=True,
        top={"job": OldJobRow}, errors=(Forbidden, Conflict),
    ),
)  # fmt: skip
def restart(request: Request) -> Answer:
    return _job(restart_job(request.services, request.caller, request.arguments["job_id"], request.json()))


@router.route(
    "DELETE",
    "/api/event-job/jobs/{job_id}",
    "/api/events/jobs/{job_id}",
    operation=Operation(
        summary="Remove a job and its files", tag=OLD, data=JobRemoval, other_statuses=(202,),
        errors=(Forbidden,),
    ),
)  # fmt: skip
def delete(request: Request) -> Answer:
    job_id = request.arguments["job_id"]
    gone = delete_job(request.services, request.caller, job_id)
    return Answer(status=200 if gone else 202, data={"job_id": job_id, "deleted": gone})


@router.route(
    "DELETE",
    "/api/event-job/batches/{batch_id}",
    "/api/events/batches/{batch_id}",
    operation=Operation(
        summary="Remove a batch, its jobs and their files", tag=OLD, data=BatchRemoval, other_statuses=(202,),
        errors=(Forbidden,),
    ),
)  # fmt: skip
def delete_whole_batch(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    gone = delete_batch(request.services, request.caller, batch_id)
    return Answer(status=200 if gone else 202, data={"batch_id": batch_id, "deleted": gone})


@router.route(
    "POST",
    "/api/event-job/batches/{batch_id}/archive",
    operation=Operation(
        summary="Put a batch out of sight", tag=OLD, body=ArchiveRequest, body_is_optional=True,
        top={"batch": OldBatch}, errors=(Forbidden,),
    ),
)  # fmt: skip
def archive(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _batch(archive_batch(request.services, request.caller, batch_id, request.json()))


@router.route(
    "POST",
    "/api/event-job/batches/{batch_id}/toggle-active",
    operation=Operation(
        summary="Pause a batch, or let it go on", tag=OLD, body=ActiveRequest, body_is_optional=True,
        top={"batch": OldBatch}, errors=(Forbidden,),
    ),
)  # fmt: skip
def switch_active(request: Request) -> Answer:
    batch_id = request.arguments["batch_id"]
    return _batch(toggle_active(request.services, request.caller, batch_id, request.json()))


def _job(job: Job) -> Answer:
    return Answer(top={"job": old_job_summary(job)})


def _batch(batch: Batch) -> Answer:
    return Answer(top={"batch": old_batch_view(batch)})
