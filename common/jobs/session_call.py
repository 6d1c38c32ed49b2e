"""Use-case: a small session in one call. It is a job like all others, waited for as long as a gateway waits;
what is not done by then, or too big for one answer, is told by its id."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

from common.access import Caller
from common.archive.links import link_path
from common.errors import SecretaryError
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Job
from common.jobs.read import read_job
from common.jobs.submit import submit_job
from common.jobs.view import job_view
from common.jobs.waiting import wait_until
from common.queue.base import HIGH_PRIORITY
from common.services import Services

SHOWN = (
    "markdown_content", "web_text", "video_transcript", "attachments_text", "structured_data", "page_texts",
    "target_dir", "warnings", "archive_filename", "archive_url", "archive_size", "archive_sha256",
)  # fmt: skip


class SessionFailed(SecretaryError):
    """Raised in place of the error that ended the session's job, with its code."""

    http_status = 422

    def __init__(self, error: dict[str, Any], job_id: str) -> None:
        super().__init__(
            str(error.get("message", "")), details=(error.get("details") or {}) | {"job_id": job_id}
        )
        self._code = str(error.get("code", self.code))

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"code": self._code}


@dataclass(frozen=True, kw_only=True)
class SessionAnswer:
    job: Job
    output: dict[str, Any]
    is_whole: bool


def process_session(
    services: Services, caller: Caller, parameters: dict[str, Any], *, key: str | None
) -> SessionAnswer:
    """Someone waits, so it goes into the fast lane and is not tried again later."""
    body = {
        "job_type": "session", "parameters": parameters, "priority": HIGH_PRIORITY, "max_attempts": 1,
    }  # fmt: skip
    job_id = submit_job(services, caller, body, key=key).job_id
    job = wait_until(
        services,
        job_id,
        services.settings.http.max_wait_seconds,
        lambda: read_job(services, caller, job_id),
        until=lambda one: one.is_final,
    )
    if job.status in (JobStatus.FAILED, JobStatus.CANCELLED):
        raise SessionFailed(job.error or {}, job_id)
    if job.status != JobStatus.COMPLETED:
        return SessionAnswer(job=job, output=_nothing_yet(), is_whole=False)
    return _answer(services, job)


def _answer(services: Services, job: Job) -> SessionAnswer:
    limits = services.settings.limits
    results = job_view(job, services.objects, inline_bytes=limits.inline_markdown_bytes)["results"]
    stored = job.results or {}
    archive = stored.get("archive")
    fits = archive is None or archive["size"] <= limits.inline_archive_bytes
    data = services.objects.get(archive["key"]) if archive and fits else None
    output = {name: results[name] for name in SHOWN} | {
        "markdown_file": stored.get("markdown_file"),
        "archive_data": base64.b64encode(data).decode() if data is not None else None,
        "attachments": [link_path(path) for path in stored.get("assets", ())],
    }
    return SessionAnswer(job=job, output=output, is_whole=fits and output["markdown_content"] is not None)


def _nothing_yet() -> dict[str, Any]:
    """The same names as later, so that a client of the seeds finds none missing."""
    return dict.fromkeys((*SHOWN, "markdown_file", "archive_data")) | {
        "attachments": [],
        "structured_data": {},
    }
