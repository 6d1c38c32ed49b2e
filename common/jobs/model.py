"""Jobs and batches as the rest of the code sees them: frozen, typed, read from their documents."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Self

from common.jobs.lifecycle import FINAL, JobStatus, batch_status

SCHEMA_VERSION = 1
PRIVATE = {"visibility": "private", "read_access": [], "write_access": [], "admin_access": []}


def _known(document: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The document's values for these fields; lists become tuples, what is null keeps its default."""
    found = ((name, document.get(name)) for name in names)
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in found if value is not None
    }


@dataclass(frozen=True, kw_only=True)
class Lease:
    """Who runs a job, and until when by the database's clock."""

    worker_id: str
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class Owned:
    """What access rules look at; jobs and batches share it."""

    user_id: str
    owner_groups: tuple[str, ...] = ()
    access_control: dict[str, Any] = field(default_factory=lambda: dict(PRIVATE))


@dataclass(frozen=True, kw_only=True)
class Job(Owned):
    """One piece of work. `attempt` is the fencing number; `tries` counts towards `max_attempts`."""

    job_id: str
    job_type: str
    status: JobStatus
    created_at: datetime
    updated_at: datetime
    parameters: dict[str, Any]
    job_name: str | None = None
    progress: dict[str, Any] | None = None
    results: dict[str, Any] | None = None
    files: tuple[dict[str, Any], ...] = ()
    cache_prefixes: tuple[str, ...] = ()
    error: dict[str, Any] | None = None
    processing_started_at: datetime | None = None
    completed_at: datetime | None = None
    batch_id: str | None = None
    logs: tuple[dict[str, Any], ...] = ()
    tries: int = 0
    max_attempts: int = 3
    priority: int = 0
    webhook: dict[str, Any] | None = field(default=None, repr=False)  # may hold a secret
    worker_id: str | None = None
    tags: tuple[str, ...] = ()
    attempt: int = 0
    lease: Lease | None = None
    not_before: datetime | None = None
    checkpoint: dict[str, Any] | None = None
    cancel_requested: bool = False
    delete_requested: bool = False
    paused: bool = False
    used_seconds: float = 0.0
    expires_at: datetime | None = None
    idempotency: dict[str, Any] | None = None
    outbox: tuple[dict[str, Any], ...] = ()  # events that are still to be published
    trace: str | None = None  # the traceparent of the request that handed it in
    version: int = 1

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        values = _known(document, _JOB_FIELDS)
        values["status"] = JobStatus(values["status"])
        if "lease" in values:
            values["lease"] = Lease(
                worker_id=values["lease"]["worker_id"], expires_at=values["lease"]["expires_at"]
            )
        return cls(**values)

    @property
    def is_final(self) -> bool:
        return self.status in FINAL

    @property
    def retries(self) -> int:
        return max(self.tries - 1, 0)


_JOB_FIELDS = tuple(item.name for item in fields(Job))


@dataclass(frozen=True, kw_only=True)
class Batch(Owned):
    """Many jobs handed in together; its status and counts come from its members."""

    batch_id: str
    created_at: datetime
    updated_at: datetime
    batch_name: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    webhook: dict[str, Any] | None = field(default=None, repr=False)  # may hold a secret
    is_active: bool = True
    archived: bool = False
    delete_requested: bool = False
    closed_at: datetime | None = None
    archive: dict[str, Any] | None = None
    idempotency: dict[str, Any] | None = None
    outbox: tuple[dict[str, Any], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    version: int = 1

    @classmethod
    def from_document(cls, document: dict[str, Any], counts: dict[str, int]) -> Self:
        values = _known(document, _BATCH_FIELDS)
        return cls(**(values | {"counts": counts}))

    @property
    def total_jobs(self) -> int:
        return sum(self.counts.values())

    @property
    def status(self) -> str:
        return batch_status(self.counts).value

    def count(self, status: JobStatus) -> int:
        return self.counts.get(status, 0)


_BATCH_FIELDS = tuple(item.name for item in fields(Batch))
