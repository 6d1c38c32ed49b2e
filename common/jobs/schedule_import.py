"""Use-case: an event's schedule becomes one batch of session jobs, or, on a dry run, a list of them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.access import Caller, owner_of_new
from common.errors import ValidationFailed
from common.jobs.import_request import ImportRequest
from common.jobs.model import Batch
from common.jobs.requests import NAME_CHARACTERS, parse_body
from common.jobs.submit import submit_batch
from common.outbound.client import Outbound
from common.outbound.policy import policy_of_a_call
from common.processing.session.schedule import (
    MAX_SCHEDULE_BYTES,
    Filters,
    Schedule,
    ScheduleEvent,
    read_schedule,
    select,
    session_parameters,
)
from common.processing.storage import GuardedSources
from common.services import Services

SHOWN_SKIPPED = 100


@dataclass(frozen=True, kw_only=True)
class Imported:
    """`batch` is None on a dry run. `skipped` are talks without a page, which no job could read."""

    event: str
    jobs: tuple[dict[str, Any], ...]
    skipped: tuple[str, ...]
    batch: Batch | None = None
    job_ids: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "event": self.event,
            "total": self.batch.total_jobs if self.batch else len(self.jobs),
            "skipped": list(self.skipped[:SHOWN_SKIPPED]),
            "skipped_total": len(self.skipped),
        }
        if self.batch is None:
            return shown | {"dry_run": True, "jobs": list(self.jobs)}
        return shown | {"batch_id": self.batch.batch_id, "job_ids": list(self.job_ids)}


def import_schedule(
    services: Services, caller: Caller, body: dict[str, Any], *, key: str | None = None
) -> Imported:
    request = parse_body(ImportRequest, body)
    schedule = _fetch(services, request, owner_of_new(caller, request.user_id))
    chosen = select(schedule, _filters(request))
    jobs = tuple(_job(schedule, event, request) for event in chosen if event.url)
    skipped = tuple(event.title for event in chosen if not event.url)
    if not jobs:
        raise ValidationFailed(
            f"None of the {len(chosen)} chosen talks names a page; expected at least one with a URL.",
            details={"skipped": list(skipped[:SHOWN_SKIPPED])},
        )
    if request.dry_run:
        return Imported(event=schedule.title, jobs=jobs, skipped=skipped)
    batch, job_ids = submit_batch(services, caller, _batch(schedule, jobs, request), key=key, made_from=body)
    return Imported(event=schedule.title, jobs=jobs, skipped=skipped, batch=batch, job_ids=tuple(job_ids))


def _fetch(services: Services, request: ImportRequest, owner: str) -> Schedule:
    with (
        tempfile.TemporaryDirectory(prefix="secretary-") as folder,
        Outbound(policy_of_a_call(services.settings)) as outbound,
    ):
        sources = GuardedSources(
            lambda: outbound,
            Path(folder),
            max_bytes=MAX_SCHEDULE_BYTES,
            objects=services.objects,
            user_id=owner,
        )
        source = sources.fetch(url=request.url, upload_id=request.upload_id)
        return read_schedule(source.path.read_bytes(), url=source.url or "")


def _filters(request: ImportRequest) -> Filters:
    return Filters(
        track=tuple(request.track),
        room=tuple(request.room),
        day=tuple(request.day),
        type=tuple(request.type),
        language=tuple(request.language),
        limit=request.limit,
    )


def _job(schedule: Schedule, event: ScheduleEvent, request: ImportRequest) -> dict[str, Any]:
    """What the schedule knows of a talk; what the caller sets for all goes before it."""
    known = session_parameters(schedule, event)
    return {
        "job_type": "session",
        "job_name": event.title[:NAME_CHARACTERS],
        "parameters": known | request.parameters,
        "priority": request.priority,
        "tags": request.tags,
    }


def _batch(schedule: Schedule, jobs: tuple[dict[str, Any], ...], request: ImportRequest) -> dict[str, Any]:
    body = {
        "batch_name": request.batch_name or schedule.title[:NAME_CHARACTERS],
        "jobs": list(jobs),
        "access_control": request.access_control.model_dump(),
        "webhook": request.webhook,
        "user_id": request.user_id,
    }
    return {name: value for name, value in body.items() if value is not None}
