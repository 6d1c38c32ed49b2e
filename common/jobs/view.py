"""Jobs and batches as callers see them: paths become API URLs, what is internal stays inside."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from common.jobs.lifecycle import JobStatus
from common.jobs.model import Batch, Job
from common.jobs.waiting import batch_version
from common.objects.store import ObjectStore
from common.webhooks.hook import hook_view

SHOWN = (
    "job_id", "job_type", "job_name", "parameters", "progress", "error", "created_at", "updated_at",
    "processing_started_at", "completed_at", "batch_id", "user_id", "access_control", "retries",
    "max_attempts", "priority", "worker_id", "tags", "attempt", "not_before", "expires_at",
    "cancel_requested", "version",
)  # fmt: skip
TEXTS = ("web_text", "video_transcript", "attachments_text")


def job_summary(job: Job) -> dict[str, Any]:
    """One row of a list: what its results are, without naming every page."""
    shown = {name: getattr(job, name) for name in SHOWN}
    return shown | {
        "status": job.status.value,
        "results": _delivered(job) if job.results else None,
        "webhook": hook_view(job.webhook),
    }


def job_view(job: Job, objects: ObjectStore, *, inline_bytes: int) -> dict[str, Any]:
    """One job in full; its Markdown is read from the object store, where all bytes live."""
    shown = job_summary(job) | {"logs": list(job.logs)}
    if job.results:
        shown["results"] = _results(job) | job_texts(job, objects, inline_bytes=inline_bytes)
    return shown


def job_texts(job: Job, objects: ObjectStore, *, inline_bytes: int) -> dict[str, str | None]:
    """The Markdown and the other long texts of a result, each unless it is too long to be told inline."""
    return {name: _text(file, objects, inline_bytes) for name, file in _text_files(job).items()}


def texts_size(job: Job, *, inline_bytes: int) -> int:
    """Of all that `job_texts` would tell."""
    sizes = [file["size"] for file in _text_files(job).values() if file]
    return sum(size for size in sizes if size <= inline_bytes)


def batch_view(batch: Batch) -> dict[str, Any]:
    archive = batch.archive or {}
    return {
        "batch_id": batch.batch_id,
        "batch_name": batch.batch_name,
        "status": batch.status,
        "total_jobs": batch.total_jobs,
        **{f"{status.value}_jobs": batch.count(status) for status in JobStatus},
        "isActive": batch.is_active,
        "archived": batch.archived,
        "parameters": batch.parameters,
        "user_id": batch.user_id,
        "access_control": batch.access_control,
        "archive_filename": archive.get("filename"),
        "archive_size": archive.get("size"),
        "webhook": hook_view(batch.webhook),
        "created_at": batch.created_at,
        "updated_at": batch.updated_at,
        "completed_at": batch.closed_at,
        "version": batch_version(batch),
    }


def file_url(job: Job, path: str) -> str:
    """Cached page texts have the address the first clients know; all else is below its job."""
    key = next((file["key"] for file in job.files if file["path"] == path), "")
    return _url(job, path, key)


def _url(job: Job, path: str, key: str) -> str:
    if key.startswith("cache/") and key.endswith(".txt"):
        return f"/api/pdf/text-content/{quote(key)}"
    return f"/api/jobs/{job.job_id}/files/{quote(path)}"


def _delivered(job: Job) -> dict[str, Any]:
    results = job.results or {}
    archive = results.get("archive") or {}
    return {
        "markdown_file": file_url(job, results["markdown_file"]) if results.get("markdown_file") else None,
        "target_dir": results.get("target_dir"),
        "warnings": results.get("warnings") or [],
        "is_from_cache": results.get("is_from_cache", False),
        "archive_url": f"/api/jobs/{job.job_id}/download-archive" if archive else None,
        "archive_filename": archive.get("filename"),
        "archive_size": archive.get("size"),
        "archive_sha256": archive.get("sha256"),
    }


def _results(job: Job) -> dict[str, Any]:
    results = job.results or {}
    keys = {file["path"]: file["key"] for file in job.files}

    def urls(name: str) -> list[str]:
        return [_url(job, path, keys.get(path, "")) for path in results.get(name, ())]

    return _delivered(job) | {
        "page_texts": urls("page_texts"),
        "assets": urls("assets"),
        "metadata": results.get("metadata") or {},
        "structured_data": results.get("structured_data") or {},
        "archive_data": None,
    }


def _text_files(job: Job) -> dict[str, dict[str, Any] | None]:
    by_path = {file["path"]: file for file in job.files}
    markdown = by_path.get((job.results or {}).get("markdown_file") or "")
    return {"markdown_content": markdown} | {name: by_path.get(f"texts/{name}.txt") for name in TEXTS}


def _text(file: dict[str, Any] | None, objects: ObjectStore, inline_bytes: int) -> str | None:
    if file is None or file["size"] > inline_bytes:
        return None
    return objects.get(file["key"]).decode("utf-8", errors="replace")
