"""Use-case of the timer: find what was lost. Lost messages, dead workers, forgotten ends, old results."""

from __future__ import annotations

from dataclasses import dataclass

from common import logs
from common.errors import Cancelled
from common.jobs.model import Job
from common.objects import keys
from common.queue.base import Message, queue_for
from common.services import Services
from common.webhooks.publish import sweep_webhooks

AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class Swept:
    """What one sweep did."""

    resent: int
    cancelled: int
    closed: int
    removed: int
    notified: int


def sweep(services: Services) -> Swept:
    overdue = services.jobs.take_overdue(limit=AT_ONCE)
    doomed = [job for job in overdue if job.cancel_requested]
    lost = [job for job in overdue if not job.cancel_requested]
    services.queue.send([_message(job) for job in lost])
    swept = Swept(
        resent=len(lost),
        cancelled=sum(_cancel(services, job) for job in doomed),
        closed=sum(_close(services, batch_id) for batch_id in services.batches.take_unclosed(limit=AT_ONCE)),
        removed=sum(_remove(services, job) for job in services.jobs.expired(limit=AT_ONCE)),
        notified=sweep_webhooks(services),
    )
    if any(vars(swept).values()):
        logs.info("swept", **vars(swept))
    return swept


def remove_objects(services: Services, job_id: str) -> None:
    """All bytes that belong to this job alone; the shared cache stays."""
    services.objects.delete_prefix(keys.job_prefix(job_id))
    services.objects.delete_prefix(keys.archive_prefix(job_id))


def _message(job: Job) -> Message:
    return Message(queue=queue_for(job.job_type, job.priority), subject_id=job.job_id, user_id=job.user_id)


def _cancel(services: Services, job: Job) -> bool:
    """The worker that should have stopped this job died before it could say so."""
    error = Cancelled("The job was cancelled.").as_dict()
    return services.jobs.cancel_waiting(job.job_id, error=error, expires_after=None)


def _close(services: Services, batch_id: str) -> bool:
    return services.batches.close_if_done(batch_id) is not None


def _remove(services: Services, job: Job) -> bool:
    """Objects first: a document without objects can be swept again, objects without a document cannot."""
    remove_objects(services, job.job_id)
    return services.jobs.delete(job.job_id)
