"""What the tests of the API hand in, and what a worker would have done with it."""

from __future__ import annotations

from typing import Any

from common.jobs.store import Run
from common.objects import keys
from common.services import Services

WORKER = "test-worker"
DONE = {"step": "completed", "percent": 100, "message": "", "eta_seconds": None}
EMPTY_ZIP = b"PK\x05\x06" + bytes(18)


def pdf(number: int = 1, **more: Any) -> dict[str, Any]:
    return {"job_type": "pdf", "parameters": {"url": f"https://example.org/{number}.pdf"}, **more}


def finish(
    services: Services, job_id: str, *, markdown: str = "# Done", archive: bytes | None = None
) -> None:
    """Results written once, bytes in the object store."""
    run = start(services, job_id)
    text = services.objects.put(keys.result(job_id, run.attempt, "a.md"), markdown.encode(), "text/markdown")
    results: dict[str, Any] = {
        "markdown_file": "a.md", "page_texts": [], "assets": [], "target_dir": None, "metadata": {},
        "structured_data": {"topic": "tests"}, "texts": [], "warnings": [], "llm_requests": [],
        "is_from_cache": False, "archive": _stored(services, run, archive),
    }  # fmt: skip
    file = {"path": "a.md", "key": text.key, "size": text.size, "sha256": text.sha256,
            "media_type": "text/markdown; charset=utf-8"}  # fmt: skip
    assert services.jobs.complete(
        run, results=results, files=[file], cache_prefixes=[], progress=DONE, expires_after=None
    )
    close_batch(services, job_id)


def fail(services: Services, job_id: str) -> None:
    run = start(services, job_id)
    error = {"code": "DOWNLOAD_FAILED", "message": "The source answered 404.", "details": {}}
    assert services.jobs.fail(run, error=error, expires_after=None)
    close_batch(services, job_id)


def start(services: Services, job_id: str) -> Run:
    job = services.jobs.claim(job_id, WORKER)
    assert job is not None
    return Run(job_id=job_id, attempt=job.attempt, worker_id=WORKER)


def close_batch(services: Services, job_id: str) -> None:
    job = services.jobs.get(job_id)
    if job and job.batch_id:
        services.batches.close_if_done(job.batch_id)


def _stored(services: Services, run: Run, archive: bytes | None) -> dict[str, Any] | None:
    if archive is None:
        return None
    key = keys.archive(run.job_id, run.attempt, "vault.zip")
    packed = services.objects.put(key, archive, "application/zip")
    return {"filename": "vault.zip", "key": key, "size": packed.size, "sha256": packed.sha256}
