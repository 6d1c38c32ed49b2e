"""Use-case: the vault of a whole batch. It is built by a job of its own, which starts when the archive is
first asked for after the batch has ended; a batch that ends once more gets a new one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pymongo.errors import DuplicateKeyError

from common.archive.batch import JobFiles, batch_vault
from common.archive.index import Card, Failure
from common.archive.manifest import Origin
from common.clock import first_id
from common.errors import ArchiveNotFound, ProcessingError
from common.jobs.announce import announce_jobs
from common.jobs.database import Document
from common.jobs.ending import close_batch
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Batch, Job
from common.jobs.new_job import new_job
from common.jobs.vault_entries import vault_entries
from common.names import safe_name
from common.objects import keys
from common.objects.store import ObjectStore
from common.processing.base import Progress, StoredFile
from common.queue.base import BATCH_ARCHIVE
from common.services import Services, build
from common.settings import Settings
from common.text import as_text

TEXTS_FOLDER = "texts/"  # of a job's results: the same words stand in its note


def ensure_batch_archive(services: Services, batch: Batch) -> Job:
    """The job that builds or has built the archive of this end of the batch; a failed one starts anew."""
    left = batch.count(JobStatus.PENDING) + batch.count(JobStatus.PROCESSING)
    if batch.closed_at is None and not left:  # its last member ended a moment ago: close it here and now
        close_batch(services, batch.batch_id)
        batch = services.batches.get(batch.batch_id) or batch
    if batch.closed_at is None:
        raise ArchiveNotFound(
            f"The batch has no archive yet: {left} of {batch.total_jobs} jobs have not ended."
        )
    if not batch.count(JobStatus.COMPLETED):
        raise ArchiveNotFound(f"The batch has no archive: none of its {batch.total_jobs} jobs delivered.")
    job_id = archive_job_id(batch)
    job = services.jobs.get(job_id) or _insert(services, batch, job_id)
    if job.status in (JobStatus.FAILED, JobStatus.CANCELLED):
        services.control.restart(job_id, parameters=job.parameters)
        job = services.jobs.get(job_id) or job
        announce_jobs(services, [job])
    return job


def archive_job_id(batch: Batch) -> str:
    """One for each end of the batch, so that two who ask at once start one job. It begins with that time, as
    all ids do: lists are sorted by them."""
    ended = batch.closed_at or batch.updated_at
    end = f"{batch.batch_id} {ended:%Y-%m-%dT%H:%M:%S.%f}"
    return first_id("job", ended) + hashlib.sha256(end.encode()).hexdigest()[:20]


def build_batch_archive(job: Document, progress: Progress, settings: Settings) -> Document:
    """The work of that job, in the worker's child process."""
    services = build(settings)
    try:
        batch = services.batches.get(job["parameters"]["batch_id"])
        if batch is None:
            raise ProcessingError("The batch of this archive does not exist any more.")
        return _build(services, batch, job, progress)
    finally:
        services.close()


def _build(services: Services, batch: Batch, job: Document, progress: Progress) -> Document:
    progress.report("collecting_files", 5)
    done = sorted(services.batches.members(batch.batch_id, [JobStatus.COMPLETED]), key=lambda one: one.job_id)
    failed = services.batches.members(batch.batch_id, [JobStatus.FAILED, JobStatus.CANCELLED])
    title = _title(batch, done)
    content = batch_vault(
        [_job_files(member, services.objects) for member in done],
        [_failure(member) for member in sorted(failed, key=lambda one: one.job_id)],
        title=title,
        language=_language(done),
        origin=Origin(options=batch.parameters),
    )
    name = f"{safe_name(title, fallback='batch')}.zip"
    path = f"{job['job_id']}/{job['attempt']}/{name}"
    stored = services.objects.put_stream(
        keys.batch_archive(batch.batch_id, path), _reported(content, progress), "application/zip"
    )
    archive = {"filename": name, "key": stored.key, "size": stored.size, "sha256": stored.sha256}
    now = services.batches.get(batch.batch_id)
    if now is not None and now.closed_at == batch.closed_at:  # else it is open again, and this is the past
        services.batches.set_archive(batch.batch_id, archive)
    results = {"markdown_file": None, "metadata": {"title": title, "jobs": len(done)}, "archive": archive}
    return {"results": results, "files": []}


def _insert(services: Services, batch: Batch, job_id: str) -> Job:
    """Readable by whoever may read the batch; it is no member of it."""
    document = new_job(
        services,
        job_id=job_id,
        job_type=BATCH_ARCHIVE,
        job_name=batch.batch_name,
        parameters={"batch_id": batch.batch_id},
        user_id=batch.user_id,
        owner_groups=list(batch.owner_groups),
        access_control=batch.access_control,
    )
    try:
        services.jobs.insert(document)
    except DuplicateKeyError:
        known = services.jobs.get(job_id)
        if known is not None:
            return known
    job = Job.from_document(document)
    announce_jobs(services, [job])
    return job


def _job_files(job: Job, objects: ObjectStore) -> JobFiles:
    files = [StoredFile(**file) for file in job.files]
    kept = [file for file in files if not file.path.startswith(TEXTS_FOLDER)]
    return JobFiles(name=_name(job), entries=tuple(vault_entries(kept, objects)), card=_card(job))


def _card(job: Job) -> Card | None:
    results = job.results or {}
    if not results.get("markdown_file"):
        return None
    known = (results.get("metadata") or {}) | (results.get("structured_data") or {})
    return Card(
        title=as_text(known.get("title")) or _name(job),
        markdown_path=results["markdown_file"],
        event=as_text(known.get("event")),
        track=as_text(known.get("track")),
        day=as_text(known.get("date")),
        start=as_text(known.get("starttime")),
        language=as_text(known.get("language")),
        speakers=_words(known.get("speakers")),
        topics=_words(known.get("topics")),
    )


def _failure(job: Job) -> Failure:
    return Failure(
        job_id=job.job_id,
        name=_name(job),
        url=as_text(job.parameters.get("url")),
        error=job.error or {"code": job.status.value.upper(), "message": ""},
    )


def _name(job: Job) -> str:
    return job.job_name or as_text(job.parameters.get("session")) or job.job_id


def _words(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


def _title(batch: Batch, done: Sequence[Job]) -> str:
    """The batch's own name, else that of the event its sessions share."""
    events = {as_text(job.parameters.get("event")) for job in done} - {""}
    return batch.batch_name or (events.pop() if len(events) == 1 else "") or batch.batch_id


def _language(done: Sequence[Job]) -> str:
    counted = Counter(as_text(job.parameters.get("target_language")) or "en" for job in done)
    return counted.most_common(1)[0][0] if counted else "en"


def _reported(chunks: Iterator[bytes], progress: Progress) -> Iterator[bytes]:
    """The size is not known before the end: what counts is that the work is seen to go on."""
    written = 0
    for chunk in chunks:
        written += len(chunk)
        progress.report("packing", 50, f"{written // 1024**2} MB")
        yield chunk
