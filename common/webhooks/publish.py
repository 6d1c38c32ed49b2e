"""Use-case: turn the marks of state changes into deliveries, each of them once, and tell the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from common import logs
from common.jobs.database import FAULTS
from common.jobs.model import Batch, Job
from common.jobs.view import batch_view, job_summary
from common.queue.base import NOTIFY_QUEUE, Message
from common.services import Services
from common.webhooks.events import EventType, batch_event, job_event, message_id
from common.webhooks.schedule import MAX_ATTEMPTS
from common.webhooks.store import new_document

Document = dict[str, Any]
AT_ONCE = 1_000
PROGRESS_TRIES = 2  # news that is overtaken by the next
_STATUS = {EventType.JOB_STARTED: "processing", EventType.JOB_PROGRESS: "processing"}
_TEXT_FILES = ("web_text", "video_transcript", "attachments_text")


def publish_job(services: Services, job_id: str) -> None:
    """After a change of state. What goes wrong here is logged and done again by the sweep."""
    _survived(lambda: _publish(services, services.jobs.get(job_id), None))


def publish_batch(services: Services, batch_id: str) -> None:
    _survived(lambda: _publish(services, None, services.batches.get(batch_id)))


def publish_progress(services: Services, job: Job, progress: Document, *, number: int) -> None:
    """Beside the outbox: a progress event that is lost is not missed."""
    event = EventType.JOB_PROGRESS
    entry = {"event": event.value, "number": number}
    _survived(lambda: _deliver(services, [_of_job(services, job, entry, {"progress": progress})]))


def sweep_webhooks(services: Services) -> int:
    """Events that were marked but never published, and deliveries whose message is lost or due."""
    older = services.settings.sweep.resend_after_seconds
    for job in services.jobs.with_outbox(older_seconds=older, limit=AT_ONCE):
        _publish(services, job, None)
    for batch_id in services.batches.with_outbox(older_seconds=older, limit=AT_ONCE):
        _publish(services, None, services.batches.get(batch_id))
    due = services.deliveries.take_due(limit=AT_ONCE)
    _tell(services, [(item.delivery_id, item.user_id) for item in due])
    return len(due)


def _publish(services: Services, job: Job | None, batch: Batch | None) -> None:
    """First the deliveries, then the hint, last the mark: a death in between repeats, and loses nothing."""
    if job is not None and job.outbox:
        _deliver(services, [_of_job(services, job, entry, {}) for entry in job.outbox])
        services.jobs.clear_outbox(job.job_id, [entry["number"] for entry in job.outbox])
    if batch is not None and batch.outbox:
        _deliver(services, [_of_batch(services, batch, entry) for entry in batch.outbox])
        services.batches.clear_outbox(batch.batch_id, [entry["number"] for entry in batch.outbox])


def _deliver(services: Services, documents: Sequence[Document]) -> None:
    services.deliveries.add(documents)
    _tell(services, [(item["_id"], item["user_id"]) for item in documents])


def _tell(services: Services, deliveries: Sequence[tuple[str, str]]) -> None:
    services.queue.send(
        [Message(queue=NOTIFY_QUEUE, subject_id=name, user_id=user_id) for name, user_id in deliveries]
    )


def _of_job(services: Services, job: Job, entry: Document, changed: Document) -> Document:
    event = EventType(entry["event"])
    hook = job.webhook or {}
    shown = job_summary(job) | {"status": _STATUS.get(event, event.rpartition(".")[2])} | changed
    with_texts = bool(hook.get("include_markdown"))
    now = services.clock()
    body = job_event(
        event,
        shown,
        at=entry.get("at", now),
        include_markdown=with_texts,
        include_metadata=bool(hook.get("include_metadata")),
    )
    return new_document(
        delivery_id=message_id(event, job.job_id, number=entry["number"]),
        event=body,
        texts=_texts(job, services.settings.limits.inline_markdown_bytes) if with_texts else {},
        job_id=job.job_id,
        user_id=job.user_id,
        max_tries=PROGRESS_TRIES if event is EventType.JOB_PROGRESS else MAX_ATTEMPTS,
        created_at=now,
        expires_at=now + timedelta(days=services.settings.webhooks.keep_days),
    )


def _of_batch(services: Services, batch: Batch, entry: Document) -> Document:
    now = services.clock()
    archive = {f"archive_{name}": value for name, value in (batch.archive or {}).items() if name != "key"}
    return new_document(
        delivery_id=message_id(EventType(entry["event"]), batch.batch_id, number=entry["number"]),
        event=batch_event(batch_view(batch) | archive, at=entry["at"]),
        batch_id=batch.batch_id,
        user_id=batch.user_id,
        max_tries=MAX_ATTEMPTS,
        created_at=now,
        expires_at=now + timedelta(days=services.settings.webhooks.keep_days),
    )


def _texts(job: Job, at_most: int) -> dict[str, str]:
    """Long texts stay in the object store and join the event when it is sent."""
    paths = {name: f"texts/{name}.txt" for name in _TEXT_FILES}
    paths["markdown_content"] = (job.results or {}).get("markdown_file") or ""
    by_path = {file["path"]: file for file in job.files if file["size"] <= at_most}
    return {name: by_path[path]["key"] for name, path in paths.items() if path in by_path}


def _survived(act: Callable[[], None]) -> None:
    try:
        act()
    except FAULTS as error:
        logs.warning("events wait for the sweep", error=type(error).__name__)
