"""What every end of a job has in common, whoever wrote it: a worker, a user's cancel or the sweep."""

from __future__ import annotations

from collections.abc import Sequence

from common.errors import Cancelled
from common.jobs.database import Document
from common.jobs.model import Job
from common.services import Services
from common.webhooks.publish import publish_batch, publish_job

DAY_SECONDS = 86_400


def jobs_ended(services: Services, jobs: Sequence[Job]) -> None:
    """After their ends, or steps on the way there, are written: tells who wants to know, and closes each
    batch after its last member. Should this process die before, the sweep does both."""
    for job in jobs:
        if job.webhook:
            publish_job(services, job.job_id)
    for batch_id in {job.batch_id for job in jobs if job.batch_id}:
        close_batch(services, batch_id)


def close_batch(services: Services, batch_id: str) -> bool:
    """True for the one caller that closed it."""
    closed = services.batches.close_if_done(batch_id) is not None
    if closed:
        publish_batch(services, batch_id)
    return closed


def cancelled_error() -> Document:
    return Cancelled("The job was cancelled.").as_dict()


def keep_completed_seconds(services: Services) -> float | None:
    return _seconds(services.settings.retention.completed_days)


def keep_failed_seconds(services: Services) -> float | None:
    """Failed and cancelled jobs."""
    return _seconds(services.settings.retention.failed_days)


def _seconds(days: int | None) -> float | None:
    return None if days is None else float(days * DAY_SECONDS)
