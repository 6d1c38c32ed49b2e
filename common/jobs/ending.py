"""What every end of a job has in common, whoever wrote it: a worker, a user's cancel or the sweep."""

from __future__ import annotations

from common.errors import Cancelled
from common.jobs.database import Document
from common.services import Services

DAY_SECONDS = 86_400


def job_ended(services: Services, *, job_id: str, batch_id: str | None) -> None:
    """After the end is written. Should this process die before, the sweep closes the batch."""
    if batch_id:
        services.batches.close_if_done(batch_id)


def cancelled_error() -> Document:
    return Cancelled("The job was cancelled.").as_dict()


def keep_completed_seconds(services: Services) -> float | None:
    return _seconds(services.settings.retention.completed_days)


def keep_failed_seconds(services: Services) -> float | None:
    """Failed and cancelled jobs."""
    return _seconds(services.settings.retention.failed_days)


def _seconds(days: int | None) -> float | None:
    return None if days is None else float(days * DAY_SECONDS)
