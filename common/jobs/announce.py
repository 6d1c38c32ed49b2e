"""Tells the queue that jobs wait. Only a hint: what is not told is found by the sweep."""

from __future__ import annotations

from collections.abc import Sequence

from common import logs
from common.jobs.database import FAULTS, Document
from common.jobs.model import Job
from common.jobs.new_job import seconds_until
from common.queue.base import LONGEST_DELAY_SECONDS, Message, queue_for
from common.services import Services


def announce_jobs(services: Services, jobs: Sequence[Job], *, delay_seconds: float = 0.0) -> None:
    _send(services, [message_for(job, delay_seconds=delay_seconds) for job in jobs])


def announce_new(services: Services, documents: Sequence[Document]) -> None:
    """Jobs as they were just written. What starts too late for the queue is left to the sweep."""
    now = services.clock()
    delays = [seconds_until(document["not_before"], now) for document in documents]
    messages = [
        Message(
            queue=queue_for(document["job_type"], document["priority"]),
            subject_id=document["_id"],
            user_id=document["user_id"],
            delay_seconds=delay,
        )
        for document, delay in zip(documents, delays, strict=True)
        if delay <= LONGEST_DELAY_SECONDS
    ]
    _send(services, messages)


def message_for(job: Job, *, delay_seconds: float = 0.0) -> Message:
    return Message(
        queue=queue_for(job.job_type, job.priority),
        subject_id=job.job_id,
        user_id=job.user_id,
        delay_seconds=delay_seconds,
    )


def _send(services: Services, messages: list[Message]) -> None:
    """A queue that does not answer loses nothing: the jobs are stored, and the sweep sends them later."""
    try:
        services.queue.send(messages)
    except FAULTS as error:
        logs.warning("queue did not take messages", count=len(messages), error=type(error).__name__)
