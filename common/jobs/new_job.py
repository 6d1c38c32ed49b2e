"""A job as it is first written: every field of the document, in one place."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus
from common.jobs.model import SCHEMA_VERSION
from common.queue.base import LONGEST_DELAY_SECONDS
from common.services import Services

QUEUED = {"step": "queued", "percent": 0, "message": "", "eta_seconds": None}


def new_job(
    services: Services,
    *,
    job_id: str,
    job_type: str,
    parameters: Document,
    user_id: str,
    priority: int = 1,
    not_before: datetime | None = None,
    max_attempts: int | None = None,
    **others: Any,
) -> Document:
    """`others` are fields that only some jobs have another value for."""
    now = services.clock()
    return {
        "_id": job_id,
        "job_id": job_id,
        "schema": SCHEMA_VERSION,
        "job_type": job_type,
        "job_name": None,
        "status": JobStatus.PENDING.value,
        "parameters": parameters,
        "progress": dict(QUEUED),
        "results": None,
        "files": [],
        "error": None,
        "created_at": now,
        "updated_at": now,
        "batch_id": None,
        "user_id": user_id,
        "owner_groups": [],
        "access_control": {},
        "logs": [],
        "tries": 0,
        "max_attempts": max_attempts or services.settings.jobs.max_attempts,
        "priority": priority,
        "tags": [],
        "attempt": 0,
        "lease": None,
        "not_before": not_before,
        "cancel_requested": False,
        "paused": False,
        "used_seconds": 0.0,
        "resend_at": now + timedelta(seconds=_silence(services, seconds_until(not_before, now))),
        "version": 1,
    } | others


def seconds_until(not_before: datetime | None, now: datetime) -> float:
    return 0.0 if not_before is None else max((not_before - now).total_seconds(), 0.0)


def _silence(services: Services, later: float) -> float:
    """Seconds before the sweep asks after the job. What is too far away for the queue, the sweep announces
    itself when its time has come."""
    return later if later > LONGEST_DELAY_SECONDS else later + services.settings.sweep.resend_after_seconds
