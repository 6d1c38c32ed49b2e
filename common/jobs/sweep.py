"""Use-case of the timer: find what was lost. Lost messages, dead workers, forgotten ends, old results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from common import logs
from common.jobs.announce import message_for
from common.jobs.ending import cancelled_error, close_batch, jobs_ended, keep_failed_seconds
from common.jobs.model import Job
from common.jobs.removal import remove_batch, remove_job, remove_unused_caches
from common.jobs.statistics import refresh_statistics
from common.queue.base import HIGH_PRIORITY, queue_for
from common.services import Services
from common.uploads.use import remove_expired_uploads
from common.webhooks.publish import sweep_webhooks

AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class Swept:
    """What one sweep did."""

    resent: int
    cancelled: int
    closed: int
    notified: int
    counted: int
    removed: int
    uncached: int
    uploads: int


def sweep(services: Services) -> Swept:
    _notice_lost_messages(services)
    overdue = services.jobs.take_overdue(limit=AT_ONCE)
    doomed = [job for job in overdue if job.cancel_requested]
    lost = [job for job in overdue if not job.cancel_requested]
    services.queue.send([message_for(job) for job in lost])
    unclosed = services.batches.take_unclosed(limit=AT_ONCE)
    # In this order: what needs the object store comes last, so that its outage holds up nothing else.
    swept = Swept(
        resent=len(lost),
        cancelled=sum(_cancel(services, job) for job in doomed),
        closed=sum(_close(services, batch_id) for batch_id in unclosed),
        notified=sweep_webhooks(services),
        counted=refresh_statistics(services),
        removed=_remove_expired(services, unclosed),
        uncached=remove_unused_caches(services, limit=AT_ONCE),
        uploads=remove_expired_uploads(services, limit=AT_ONCE),
    )
    if any(vars(swept).values()):
        logs.info("swept", **vars(swept))
    return swept


def _notice_lost_messages(services: Services) -> None:
    """Jobs are announced again ever more rarely, so that a long queue is not sent anew each minute. A queue
    that holds fewer messages than jobs wait for it has lost some: then all of them are announced now."""
    for job_type, waiting in services.jobs.waiting_by_type().items():
        lanes = {queue_for(job_type, priority) for priority in (0, HIGH_PRIORITY)}
        if sum(services.queue.depth(sorted(lanes)).values()) < waiting:
            services.jobs.bring_forward(job_type)


def _cancel(services: Services, job: Job) -> bool:
    """The worker that should have stopped this job died before it could say so."""
    keep = keep_failed_seconds(services)
    cancelled = services.control.cancel_waiting(job.job_id, error=cancelled_error(), expires_after=keep)
    if cancelled:
        jobs_ended(services, [job])
    return cancelled


def _close(services: Services, batch_id: str) -> bool:
    """A batch that has no members is one whose removal was interrupted: it has no end to tell of."""
    if not services.batches.has_members(batch_id):
        return False
    closed = close_batch(services, batch_id)
    services.batches.forget_check(batch_id)
    return closed


def _remove_expired(services: Services, unclosed: Sequence[str]) -> int:
    for batch_id in unclosed:
        remove_batch(services, batch_id)
    jobs = services.jobs.expired(limit=AT_ONCE)
    batch_ids = {job.batch_id for job in jobs if job.batch_id}
    if batch_ids:
        services.batches.look_again(sorted(batch_ids))
    return sum(_remove(services, job) for job in jobs)


def _remove(services: Services, job: Job) -> bool:
    removed = remove_job(services, job.job_id)
    if removed and job.batch_id:
        remove_batch(services, job.batch_id)
    return removed
