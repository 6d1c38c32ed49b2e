"""Use-case: wait until a job or batch changes. Long-polling works behind every gateway, with no socket."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from common.access import Caller
from common.jobs.changes import ANYTHING, RECHECK_SECONDS
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Batch, Job
from common.jobs.queries import BatchQuery, JobQuery
from common.jobs.read import read_batch, read_job
from common.services import Services

LIST_PAUSE_SECONDS = 0.5  # a busy store must not make everyone who waits for a list read it at each change

Thing = TypeVar("Thing")


def wait_for_job(services: Services, caller: Caller, job_id: str, query: JobQuery) -> Job:
    """The job as soon as its version is past `since`, or as it is when the time is up."""
    first = read_job(services, caller, job_id)
    if not query.wait:
        return first
    seen = first.version if query.since is None else query.since
    return wait_until(
        services, job_id, query.wait, lambda: read_job(services, caller, job_id),
        until=lambda job: job.is_final or job.version > seen,
    )  # fmt: skip


def wait_for_batch(services: Services, caller: Caller, batch_id: str, query: BatchQuery) -> Batch:
    first = read_batch(services, caller, batch_id)
    if not query.wait:
        return first
    seen = query.since or batch_version(first)
    return wait_until(
        services, batch_id, query.wait, lambda: read_batch(services, caller, batch_id),
        until=lambda batch: batch.closed_at is not None or batch_version(batch) != seen,
    )  # fmt: skip


def batch_version(batch: Batch) -> str:
    """Changes with each change of state of a member; the document alone does not know of those."""
    counts = ".".join(str(batch.count(status)) for status in JobStatus)
    return f"{batch.version}-{counts}"


def wait_until(
    services: Services, subject: str, seconds: float, read: Callable[[], Thing], *,
    until: Callable[[Thing], bool],
) -> Thing:  # fmt: skip
    """Reads again at each change until there is something to tell, or the time is up."""
    if not seconds:
        return read()
    deadline = time.monotonic() + min(seconds, services.settings.http.max_wait_seconds)
    with services.changes.of(subject) as changed:
        while True:
            thing = read()
            left = deadline - time.monotonic()
            if until(thing) or left <= 0:
                return thing
            if changed.wait(min(left, RECHECK_SECONDS)) and subject == ANYTHING:
                time.sleep(min(max(left, 0), LIST_PAUSE_SECONDS))
            changed.clear()
