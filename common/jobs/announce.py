"""Tells the queue that jobs wait. Only a hint: what is not told is found by the sweep."""

from __future__ import annotations

from collections.abc import Sequence

from pymongo.errors import PyMongoError

from common import logs
from common.errors import SecretaryError
from common.jobs.model import Job
from common.queue.base import Message, queue_for
from common.services import Services


def announce_jobs(services: Services, jobs: Sequence[Job], *, delay_seconds: float = 0.0) -> None:
    """A queue that does not answer loses nothing: the jobs are stored, and the sweep sends them later."""
    messages = [message_for(job, delay_seconds=delay_seconds) for job in jobs]
    try:
        services.queue.send(messages)
    except (PyMongoError, SecretaryError) as error:
        logs.warning("queue did not take messages", count=len(messages), error=type(error).__name__)


def message_for(job: Job, *, delay_seconds: float = 0.0) -> Message:
    return Message(
        queue=queue_for(job.job_type, job.priority),
        subject_id=job.job_id,
        user_id=job.user_id,
        delay_seconds=delay_seconds,
    )
