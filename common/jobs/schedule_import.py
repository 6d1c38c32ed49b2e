"""Use-case: an event's schedule becomes one batch of session jobs, or, on a dry run, a list of them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from common.access import Caller
from common.errors import ValidationFailed
from common.jobs.model import Batch
from common.jobs.requests import AccessControl, Body, Name, Names, parse_body
from common.jobs.submit import submit_batch
from common.outbound.client import Outbound
from common.outbound.policy import policy_of
from common.processing.session.schedule import (
    MAX_SCHEDULE_BYTES,
    Filters,
    Schedule,
    ScheduleEvent,
    read_schedule,
    select,
    session_parameters,
)
from common.processing.source import Url
from common.processing.storage import GuardedSources, Uploads
from common.services import Services
from common.uploads.use import use_uploads

NAME_CHARACTERS = 200  # of a job, as in requests.Name
SHOWN_SKIPPED = 100


def _as_list(value: Any) -> Any:
    return [str(value)] if isinstance(value, str | int) and not isinstance(value, bool) else value


Choices = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], BeforeValidator(_as_list)]


class ImportRequest(Body):
    """A schedule, what to take of it, and `parameters` that all its jobs share."""

    url: Url | None = None
    upload_id: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    track: Choices = Field(default_factory=list)
    room: Choices = Field(default_factory=list)
    day: Choices = Field(default_factory=list)
    type: Choices = Field(default_factory=list)
    language: Choices = Field(default_factory=list)
    limit: Annotated[int, Field(ge=1)] | None = None
    dry_run: bool = False
    batch_name: Name | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    priority: Annotated[int, Field(ge=0, le=9)] = 1
    tags: Names = Field(default_factory=list)
    access_control: AccessControl = AccessControl()
    webhook: dict[str, Any] | None = None  # checked where the batch is
    user_id: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.url) == bool(self.upload_id):
            raise ValueError("expected exactly one of url, upload_id")
        return self


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
            "total": len(self.jobs),
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
    use_uploads(services, caller.user_id, [{"upload_id": request.upload_id}])
    schedule = _fetch(services, caller, request)
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
    batch, job_ids = submit_batch(services, caller, _batch(schedule, jobs, request), key=key)
    return Imported(event=schedule.title, jobs=jobs, skipped=skipped, batch=batch, job_ids=tuple(job_ids))


def _fetch(services: Services, caller: Caller, request: ImportRequest) -> Schedule:
    with (
        tempfile.TemporaryDirectory(prefix="secretary-") as folder,
        Outbound(policy_of(services.settings.outbound)) as outbound,
    ):
        sources = GuardedSources(
            lambda: outbound,
            Path(folder),
            max_bytes=MAX_SCHEDULE_BYTES,
            roots=(),
            uploads=Uploads(services.objects, caller.user_id),
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
