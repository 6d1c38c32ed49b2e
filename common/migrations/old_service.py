"""Takes over `event_jobs` and `event_batches` of the service that was here before.

Can be run again: what is already here stays as it is.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from common import logs
from common.errors import SecretaryError
from common.jobs.lifecycle import ACTIVE, FINAL, JobStatus
from common.jobs.model import PRIVATE, SCHEMA_VERSION
from common.migrations.steps import complete_batch, complete_job
from common.names import safe_name
from common.objects import keys
from common.processing.base import StoredFile
from common.processing.registry import OLD_NAMES
from common.services import Services
from common.webhooks.events import EventType
from common.webhooks.hook import BATCH_END, JOB_ENDS
from common.webhooks.request import WebhookRequest

Document = dict[str, Any]
JOBS, BATCHES = "event_jobs", "event_batches"
ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
ATTEMPT = 1  # its old run counts as the first
TEXTS = ("web_text", "video_transcript", "attachments_text")
MARKDOWN = "text/markdown; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What was taken over, what was here already, and what could not be read."""

    jobs: int
    batches: int
    known: int
    unreadable: int


def import_old_service(services: Services, old: Database[Document], *, owner: str) -> Imported:
    """Jobs first, so that a batch never shows fewer members than it has. `owner` gets what has no user."""
    counts = {"jobs": 0, "batches": 0, "known": 0, "unreadable": 0}
    for kind, document in _all(services, old, owner):
        if document is None:
            counts["unreadable"] += 1
            continue
        try:
            services.database[kind].insert_one(document)
            counts[kind] += 1
        except DuplicateKeyError:
            counts["known"] += 1
    return Imported(**counts)


def _all(services: Services, old: Database[Document], owner: str) -> Iterator[tuple[str, Document | None]]:
    for name, kind, convert in ((JOBS, "jobs", _job), (BATCHES, "batches", _batch)):
        for document in old[name].find(batch_size=20):  # archives make them large
            subject = str(document.get("job_id" if kind == "jobs" else "batch_id") or "")
            if not ID.fullmatch(subject) or not document.get("created_at"):
                logs.warning("old document without an id or a date", collection=name, id=str(document["_id"]))
                yield kind, None
            elif services.database[kind].find_one({"_id": subject}, {"_id": 1}):
                yield kind, {"_id": subject}
            else:
                yield kind, convert(services, document, owner)


def _job(services: Services, old: Document, owner: str) -> Document:
    """What ran when the old service stopped runs again; what had ended stays ended."""
    job_id = old["job_id"]
    status = str(old.get("status"))
    ended = status in {item.value for item in FINAL}
    results, files = _results(services, job_id, old) if status == JobStatus.COMPLETED else (None, [])
    job_type = old.get("job_type") or "session"
    document: Document = {
        "_id": job_id,
        "job_id": job_id,
        "schema": SCHEMA_VERSION,
        "job_type": OLD_NAMES.get(job_type, job_type),
        "job_name": old.get("job_name"),
        "status": status if ended else JobStatus.PENDING.value,
        "parameters": old.get("parameters") or {},
        "progress": old.get("progress"),
        "results": results,
        "files": files,
        "error": old.get("error"),
        "batch_id": old.get("batch_id"),
        "priority": old.get("priority") or 0,
        "tries": (old.get("retries") or 0) + 1 if ended else 0,
        "attempt": ATTEMPT if ended else 0,
        "logs": list(old.get("logs") or [])[-services.settings.jobs.log_lines :],
        "processing_started_at": old.get("processing_started_at") or old.get("started_at"),
        "completed_at": (old.get("completed_at") or old.get("updated_at")) if ended else None,
        "expires_at": _expiry(services, status) if ended else None,
        "resend_at": None if ended else services.clock(),
        "webhook": None if ended else _webhook(services, old, JOB_ENDS),
    }
    document |= _owned(old, owner)
    return document | complete_job(document)


def _batch(services: Services, old: Document, owner: str) -> Document:
    batch_id = old["batch_id"]
    members = services.database["jobs"].count_documents({"batch_id": batch_id})
    waits = {"batch_id": batch_id, "status": {"$in": list(ACTIVE)}}
    is_open = services.database["jobs"].find_one(waits, {"_id": 1}) is not None
    soon = services.clock() + timedelta(seconds=services.settings.sweep.resend_after_seconds)
    document: Document = {
        "_id": batch_id,
        "batch_id": batch_id,
        "schema": SCHEMA_VERSION,
        "batch_name": old.get("batch_name"),
        "parameters": old.get("parameters") or {},
        "total_jobs": members or old.get("total_jobs") or 0,
        "is_active": old.get("isActive", old.get("is_active", True)),
        "archived": old.get("archived", False),
        "closed_at": None if is_open else old.get("updated_at") or old["created_at"],
        "check_at": soon if is_open else None,
        "webhook": _webhook(services, old, BATCH_END) if is_open else None,
    }
    document |= _owned(old, owner)
    return document | complete_batch(document)


def _owned(old: Document, owner: str) -> Document:
    return {
        "user_id": old.get("user_id") or owner,
        "access_control": PRIVATE | (old.get("access_control") or {}),
        "created_at": old["created_at"],
        "updated_at": old.get("updated_at") or old["created_at"],
    }


def _expiry(services: Services, status: str) -> datetime | None:
    """Counted from today: what is taken over is not swept away at once."""
    retention = services.settings.retention
    days = retention.completed_days if status == JobStatus.COMPLETED else retention.failed_days
    return None if days is None else services.clock() + timedelta(days=days)


def _webhook(services: Services, old: Document, events: Sequence[EventType]) -> Document | None:
    """Sealed as if it were handed in today; one that would be refused today is left behind."""
    asked = old.get("webhook") or {}
    if not asked.get("url"):
        return None
    known = {name: asked[name] for name in WebhookRequest.model_fields if name in asked}
    try:
        return services.hooks.new(WebhookRequest.model_validate(known), default_events=events).document
    except (SecretaryError, ValidationError) as error:
        subject = old.get("job_id") or old.get("batch_id")
        logs.warning("old webhook left behind", id=subject, error=type(error).__name__)
        return None


def _results(services: Services, job_id: str, old: Document) -> tuple[Document, list[Document]]:
    """Bytes move to the object store. Paths of the old disk mean nothing here and are kept as a note."""
    found: Document = old.get("results") or {}
    files: list[StoredFile] = []
    markdown = found.get("markdown_content")
    name = safe_name(str(found.get("markdown_file") or f"{job_id}.md").rsplit("/", 1)[-1])
    if isinstance(markdown, str):
        files.append(_stored(services, job_id, name, markdown, MARKDOWN))
    for text in TEXTS:
        if isinstance(found.get(text), str):
            files.append(
                _stored(services, job_id, f"texts/{text}.txt", found[text], "text/plain; charset=utf-8")
            )
    left_behind = {key: found[key] for key in ("markdown_file", "assets", "page_texts") if found.get(key)}
    results = {
        "markdown_file": name if isinstance(markdown, str) else None,
        "page_texts": [],
        "assets": [],
        "target_dir": found.get("target_dir"),
        "metadata": (found.get("metadata") or {}) | {"old_service": left_behind},
        "structured_data": found.get("structured_data") or {},
        "texts": [text for text in TEXTS if isinstance(found.get(text), str)],
        "warnings": [],
        "llm_requests": [],
        "is_from_cache": False,
        "archive": _archive(services, job_id, found),
    }
    return results, [asdict(file) for file in files]


def _stored(services: Services, job_id: str, path: str, text: str, media_type: str) -> StoredFile:
    made = services.objects.put(keys.result(job_id, ATTEMPT, path), text.encode(), media_type)
    return StoredFile(path=path, key=made.key, size=made.size, sha256=made.sha256, media_type=media_type)


def _archive(services: Services, job_id: str, found: Document) -> Document | None:
    if not found.get("archive_data"):
        return None
    try:
        data = base64.b64decode(found["archive_data"], validate=True)
    except (binascii.Error, TypeError, ValueError):
        logs.warning("old archive is not Base64", job_id=job_id)
        return None
    name = safe_name(str(found.get("archive_filename") or f"{job_id}.zip"))
    made = services.objects.put(keys.archive(job_id, ATTEMPT, name), data, "application/zip")
    return {"filename": name, "key": made.key, "size": made.size, "sha256": made.sha256}
