"""Jobs and batches as the first clients read them: one more state of a batch, archives inside the answer."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

from common.jobs.lifecycle import BatchStatus, JobStatus
from common.jobs.model import Batch, Job
from common.jobs.view import batch_view, job_summary, job_view, texts_size
from common.services import Services

READ_AT_ONCE = 8  # objects; a list of members reads several for each of them


def old_job_view(
    services: Services, job: Job, *, with_texts: bool = True, with_archive: bool = True
) -> dict[str, Any]:
    """With the archive as Base64, if it is small enough for an answer."""
    limits = services.settings.limits
    view = job_view(job, services.objects, inline_bytes=limits.inline_markdown_bytes if with_texts else 0)
    view |= _old_fields(job)
    archive = (job.results or {}).get("archive")
    markdown = (job.results or {}).get("markdown_file")
    if view["results"]:
        view["results"]["markdown_url"] = old_file_url(job, markdown) if markdown else None
    if archive and with_archive and archive["size"] <= limits.inline_archive_bytes:
        view["results"]["archive_data"] = base64.b64encode(services.objects.get(archive["key"])).decode()
    return view


def old_job_summary(job: Job) -> dict[str, Any]:
    return job_summary(job) | _old_fields(job)


def old_file_url(job: Job, path: str) -> str:
    return f"/api/events/files/{job.job_id}/{quote(path)}"


def old_job_rows(services: Services, jobs: Sequence[Job], *, whole: bool) -> list[dict[str, Any]]:
    """The archives of one list share the bytes that one answer may carry, and so do the texts; the first
    ones get them, and the others have their addresses."""
    if not whole:
        return [old_job_summary(job) for job in jobs]
    limits = services.settings.limits
    archives = [((job.results or {}).get("archive") or {}).get("size", 0) for job in jobs]
    texts = [texts_size(job, inline_bytes=limits.inline_markdown_bytes) for job in jobs]

    def row(job: Job, with_texts: bool, with_archive: bool) -> dict[str, Any]:
        return old_job_view(services, job, with_texts=with_texts, with_archive=with_archive)

    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        fitting = (_fitting(sizes, limits.inline_archive_bytes) for sizes in (texts, archives))
        return list(pool.map(row, jobs, *fitting))


def _fitting(sizes: Sequence[int], left: int) -> list[bool]:
    """Which of these, in their order, one answer has room for."""
    fits = []
    for size in sizes:
        fits.append(size <= left)
        left -= size if fits[-1] else 0
    return fits


def _old_fields(job: Job) -> dict[str, Any]:
    """A cancelled job has failed for a client that waits for `completed` or `failed` only."""
    ended = JobStatus.FAILED if job.status == JobStatus.CANCELLED else job.status
    return {"status": ended.value, "started_at": job.processing_started_at}


def old_batch_view(batch: Batch) -> dict[str, Any]:
    """Its clients wait for `completed` or `failed` and know no other end."""
    view = batch_view(batch)
    ends = {BatchStatus.PARTIAL: BatchStatus.COMPLETED, BatchStatus.CANCELLED: BatchStatus.FAILED}
    return view | {"status": ends.get(BatchStatus(batch.status), batch.status)}
