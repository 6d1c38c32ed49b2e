"""Use-case: change, cancel, restart and delete one job."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from common.access import Caller, Right, require
from common.errors import Conflict, ValidationFailed
from common.jobs.announce import announce_jobs
from common.jobs.database import Document
from common.jobs.demands import check_demands
from common.jobs.ending import cancelled_error, jobs_ended, keep_failed_seconds
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Job
from common.jobs.read import read_job
from common.jobs.removal import remove_batch, remove_job
from common.jobs.requests import (
    FIRST_PRIORITY,
    LAST_PRIORITY,
    AccessControl,
    Body,
    Name,
    Names,
    parse_body,
    parse_job,
)
from common.jobs.search import words_of
from common.processing.registry import job_type
from common.queue.base import queue_for
from common.services import Services
from common.uploads.use import check_uploads
from common.webhooks.hook import JOB_ENDS
from common.webhooks.request import WebhookRequest

STOP_SECONDS = 10.0  # how long a delete waits for the work to stop before it leaves the rest to the sweep
RECHECK_SECONDS = 1.0


def _one_is_given(schema: dict[str, Any]) -> None:
    names = list(schema["properties"])
    schema["anyOf"] = [
        {"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in names
    ]


class JobChange(Body):
    """What a caller may change on a job; at least one of these."""

    model_config = ConfigDict(json_schema_extra=_one_is_given)

    job_name: Name | None = None
    priority: Annotated[int, Field(ge=FIRST_PRIORITY, le=LAST_PRIORITY)] | None = None
    tags: Names | None = None
    access_control: AccessControl | None = None
    parameters: dict[str, Any] | None = None
    webhook: WebhookRequest | None = None  # null takes it away


class RestartRequest(Body):
    """How the new run differs from the last one: `parameters` change those that the job has."""

    use_cache: bool | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


def update_job(services: Services, caller: Caller, job_id: str, body: dict[str, Any]) -> Job:
    change = parse_body(JobChange, body)
    job = _writable(services, caller, job_id)
    if change.access_control is not None:
        require(caller, job, Right.ADMIN, what="job")
    values = change.model_dump(exclude_none=True, exclude={"webhook"})
    hook = (
        services.hooks.changed(job.webhook, change.webhook, default_events=JOB_ENDS)
        if change.webhook
        else None
    )
    if "webhook" in change.model_fields_set:
        values["webhook"] = hook.document if hook else None
    if not values:
        known = ", ".join(JobChange.model_fields)
        raise ValidationFailed(f"Expected at least one of: {known}.")
    if change.parameters is not None:
        values["parameters"] = _parameters(services, job, change.parameters)
    if {"job_name", "parameters"} & values.keys():
        name, parameters = values.get("job_name", job.job_name), values.get("parameters", job.parameters)
        values["words"] = words_of(name, parameters)
    waits_only = change.parameters is not None
    if not services.control.update(job_id, values, only_pending=waits_only):
        now = read_job(services, caller, job_id)
        raise Conflict(f"Parameters can be changed while a job is pending; this one is {now.status.value}.")
    changed = read_job(services, caller, job_id)
    if changed.status == JobStatus.PENDING and _lane(changed) != _lane(job):
        announce_jobs(services, [changed])  # the message in the old lane finds nothing to do
    return replace(changed, webhook=hook.shown_once) if hook else changed


def cancel_job(services: Services, caller: Caller, job_id: str) -> Job:
    """A waiting job ends at once; a running one as soon as its worker has read the mark."""
    job = _writable(services, caller, job_id)
    while not (job.is_final or job.cancel_requested):
        _cancel(services, job)
        job = read_job(services, caller, job_id)
    if job.is_final and job.status != JobStatus.CANCELLED:
        raise Conflict(f"Only a pending or processing job can be cancelled; this one is {job.status.value}.")
    return job


def restart_job(services: Services, caller: Caller, job_id: str, body: dict[str, Any]) -> Job:
    request = parse_body(RestartRequest, body)
    job = _writable(services, caller, job_id)
    given = dict(request.parameters)
    if request.use_cache is not None and "use_cache" in job_type(job.job_type).model().model_fields:
        given["use_cache"] = request.use_cache
    parameters = _parameters(services, job, job.parameters | given)
    if not services.control.restart(job_id, parameters=parameters):
        now = read_job(services, caller, job_id)
        raise Conflict(
            f"Only a completed, failed or cancelled job can be restarted; this one is {now.status.value}."
        )
    restarted = read_job(services, caller, job_id)
    announce_jobs(services, [restarted])
    return restarted


def delete_job(services: Services, caller: Caller, job_id: str) -> bool:
    """True when it is gone; False when its work has not stopped yet and the sweep will remove it."""
    job = require(caller, services.jobs.get(job_id), Right.ADMIN, what="job")
    services.control.request_delete(job_id)
    if not stopped(services, job):
        return False
    if job.batch_id:
        services.batches.look_again([job.batch_id])
    remove_job(services, job_id)
    jobs_ended(services, [job])
    if job.batch_id:
        remove_batch(services, job.batch_id)
    return True


def stopped(services: Services, job: Job, *, within_seconds: float = STOP_SECONDS) -> bool:
    """Cancels the job unless it has ended, and waits until nothing runs any more."""
    deadline = time.monotonic() + within_seconds
    with services.changes.of(job.job_id) as changed:
        while (now := services.jobs.get(job.job_id)) is not None and not now.is_final:
            if time.monotonic() > deadline:
                return False
            if not now.cancel_requested:
                _cancel(services, now)
                continue
            changed.wait(RECHECK_SECONDS)
            changed.clear()
    return True


def _cancel(services: Services, job: Job) -> None:
    """One of the two, unless the job changes in between; then the caller looks again."""
    ended = services.control.cancel_waiting(
        job.job_id, error=cancelled_error(), expires_after=keep_failed_seconds(services)
    )
    if ended:
        jobs_ended(services, [job])
    else:
        services.control.request_cancel(job.job_id)


def _writable(services: Services, caller: Caller, job_id: str) -> Job:
    return require(caller, services.jobs.get(job_id), Right.WRITE, what="job")


def _parameters(services: Services, job: Job, given: Document) -> Document:
    parameters = parse_job({"job_type": job.job_type, "parameters": given})[1]
    check_demands(services.settings, job.job_type, parameters)
    check_uploads(services, job.user_id, [parameters], where="")
    return parameters


def _lane(job: Job) -> str:
    return queue_for(job.job_type, job.priority)
