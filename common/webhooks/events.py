"""The bodies of webhooks: the form clients already read, plus the specification's `type` and `timestamp`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

PROGRESS_SECONDS = 10.0  # between two job.progress events of one job

_TEXTS = ("markdown_content", "web_text", "video_transcript", "attachments_text")
_METADATA = ("metadata", "structured_data")
_BATCH_FIELDS = (
    *("batch_id", "batch_name", "status", "total_jobs", "completed_jobs", "failed_jobs", "cancelled_jobs"),
    *("archive_url", "archive_filename", "archive_size", "archive_sha256"),
)


class EventType(StrEnum):
    JOB_STARTED = "job.started"
    JOB_PROGRESS = "job.progress"
    JOB_COMPLETED = "job.completed"
    JOB_FAILED = "job.failed"
    JOB_CANCELLED = "job.cancelled"
    BATCH_COMPLETED = "batch.completed"


def message_id(event: EventType, subject_id: str, *, number: int) -> str:
    """The same event has the same id, however often it is announced; `number` tells one from the next."""
    digest = hashlib.sha256(json.dumps([event, subject_id, number]).encode()).hexdigest()
    return f"msg_{digest[:32]}"


def job_event(
    event: EventType,
    job: Mapping[str, Any],
    *,
    at: datetime,
    include_markdown: bool,
    include_metadata: bool,
) -> dict[str, Any]:
    """`job` has the field names of the store; what it lacks is null."""
    body = {
        "type": event.value,
        "timestamp": _iso(at),
        **{
            name: job.get(name)
            for name in ("job_id", "job_type", "job_name", "batch_id", "status", "progress")
        },
        "results": _results(
            job.get("results"), include_markdown=include_markdown, include_metadata=include_metadata
        ),
    }
    if job.get("error") is not None:
        body["error"] = job["error"]
    return body


def batch_event(batch: Mapping[str, Any], *, at: datetime) -> dict[str, Any]:
    known = {name: batch[name] for name in _BATCH_FIELDS if name in batch}
    return {"type": EventType.BATCH_COMPLETED.value, "timestamp": _iso(at), **known}


def trial_event(*, at: datetime) -> dict[str, Any]:
    """For trying a receiver out: nothing happened, and the type says so."""
    return {"type": "webhook.test", "timestamp": _iso(at), "message": "This is a test of your webhook."}


def encoded(event: Mapping[str, Any]) -> bytes:
    """The bytes that are signed and sent; every attempt sends the same ones."""
    text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "replace")  # a lone surrogate from a damaged file must not stop an event


def is_progress_due(*, last_sent_at: datetime | None, now: datetime) -> bool:
    return last_sent_at is None or (now - last_sent_at).total_seconds() >= PROGRESS_SECONDS


def _results(results: Any, *, include_markdown: bool, include_metadata: bool) -> dict[str, Any] | None:
    if not isinstance(results, Mapping):
        return None
    hidden = (*(() if include_markdown else _TEXTS), *(() if include_metadata else _METADATA), "archive_data")
    # The names stay, so that a client finds what it expects; the archive itself is behind `archive_url`.
    return {name: None if name in hidden else value for name, value in results.items()}


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return _iso(value if value.tzinfo else value.replace(tzinfo=UTC))
    raise TypeError(f"expected JSON types and datetimes in an event, found {type(value).__name__}")
