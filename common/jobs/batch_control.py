"""Use-case: cancel, retry, pause, archive and delete a whole batch."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pydantic import Field

from common.access import Caller, Right, require
from common.jobs.announce import announce_jobs
from common.jobs.control import stopped
from common.jobs.ending import cancelled_error, close_batch, keep_failed_seconds
from common.jobs.lifecycle import FINAL, JobStatus
from common.jobs.model import Batch
from common.jobs.read import read_batch
from common.jobs.removal import remove_batch, remove_job
from common.jobs.requests import Body, parse_body
from common.services import Services

DELETE_SECONDS = 20.0  # of a request; what is left then is removed by the sweep
DELETE_TOGETHER = 16  # each removal is a few round trips to the object store


class ActiveRequest(Body):
    """Without a value the state is switched to the other one."""

    is_active: bool | None = Field(default=None, alias="isActive")


class ArchiveRequest(Body):
    """An archived batch is out of sight, and nothing else."""

    archived: bool = True


def cancel_batch(services: Services, caller: Caller, batch_id: str) -> Batch:
    """No member starts after this; what runs stops as soon as its worker has read the mark."""
    batch = _writable(services, caller, batch_id)
    _cancel_members(services, batch.batch_id, services.batches.member_ids(batch_id))
    return read_batch(services, caller, batch_id)


def retry_failed(services: Services, caller: Caller, batch_id: str) -> tuple[Batch, list[str]]:
    """The batch, and the ids of the members that run once more."""
    _writable(services, caller, batch_id)
    again = services.control.restart_failed(batch_id)
    announce_jobs(services, again)
    return read_batch(services, caller, batch_id), [job.job_id for job in again]


def toggle_active(services: Services, caller: Caller, batch_id: str, body: dict[str, Any]) -> Batch:
    """Inactive: pending members wait. Active again: they are announced."""
    wanted = parse_body(ActiveRequest, body).is_active
    batch = _writable(services, caller, batch_id)
    active = not batch.is_active if wanted is None else wanted
    services.batches.set_active(batch_id, active=active)
    # The batch came first: a member that is restarted meanwhile has read it, or is among these.
    job_ids = services.batches.member_ids(batch_id)
    services.control.set_paused(job_ids, paused=not active)
    if active:
        announce_jobs(services, services.control.members(job_ids, [JobStatus.PENDING]))
    return read_batch(services, caller, batch_id)


def archive_batch(services: Services, caller: Caller, batch_id: str, body: dict[str, Any]) -> Batch:
    archived = parse_body(ArchiveRequest, body).archived
    _writable(services, caller, batch_id)
    services.batches.set_archived(batch_id, archived=archived)
    return read_batch(services, caller, batch_id)


def delete_batch(services: Services, caller: Caller, batch_id: str) -> bool:
    """True when it is gone; False when the sweep will remove the rest."""
    require(caller, services.batches.get(batch_id), Right.ADMIN, what="batch")
    job_ids = services.batches.member_ids(batch_id)
    services.control.request_delete_of_batch(batch_id, job_ids)
    _cancel_members(services, batch_id, job_ids)
    deadline = time.monotonic() + DELETE_SECONDS
    for job in services.control.members(job_ids, [JobStatus.PROCESSING]):
        stopped(services, job, within_seconds=max(deadline - time.monotonic(), 0.0))

    def remove(job_id: str) -> None:
        if time.monotonic() < deadline:
            remove_job(services, job_id)

    ended = services.control.members(job_ids, list(FINAL))
    with ThreadPoolExecutor(DELETE_TOGETHER) as pool:
        list(pool.map(remove, [job.job_id for job in ended]))
    return remove_batch(services, batch_id)


def _cancel_members(services: Services, batch_id: str, job_ids: list[str]) -> None:
    """The members' webhooks are left to the sweep: there may be ten thousand of them."""
    if not job_ids:
        return
    services.control.cancel_members(
        job_ids, error=cancelled_error(), expires_after=keep_failed_seconds(services)
    )
    close_batch(services, batch_id)


def _writable(services: Services, caller: Caller, batch_id: str) -> Batch:
    return require(caller, services.batches.get(batch_id), Right.WRITE, what="batch")
