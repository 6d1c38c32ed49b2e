"""Use-case: look at one job or batch and at its files."""

from __future__ import annotations

from typing import Any

from common.access import Caller, Right, require, visible_filter
from common.errors import ArchiveNotFound, NotFound
from common.jobs.model import Batch, Job
from common.names import content_disposition
from common.objects import keys
from common.objects.store import SignedUrl
from common.services import Services


def read_job(services: Services, caller: Caller, job_id: str) -> Job:
    return require(caller, services.jobs.get(job_id), Right.READ, what="job")


def read_batch(services: Services, caller: Caller, batch_id: str) -> Batch:
    return require(caller, services.batches.get(batch_id), Right.READ, what="batch")


def archive_url(services: Services, thing: Job | Batch) -> tuple[SignedUrl, dict[str, Any]]:
    archive = thing.archive if isinstance(thing, Batch) else (thing.results or {}).get("archive")
    if not archive:
        kind = "batch" if isinstance(thing, Batch) else "job"
        status = thing.status if isinstance(thing, Batch) else thing.status.value
        raise ArchiveNotFound(f"This {kind} has no archive; its status is {status}.")
    signed = services.objects.sign_download(
        archive["key"], disposition=content_disposition(archive["filename"]), media_type="application/zip"
    )
    return signed, archive


def file_of(job: Job, path: str) -> dict[str, Any]:
    for file in job.files:
        if file["path"] == path:
            return file
    raise NotFound("This job has no such file.")


def sign_file(services: Services, file: dict[str, Any], *, inline: bool) -> SignedUrl:
    name = file["path"].rsplit("/", 1)[-1]
    safe_inline = inline and file["media_type"].startswith(
        ("text/plain", "text/markdown", "image/jpeg", "image/png")
    )
    return services.objects.sign_download(
        file["key"], disposition=content_disposition(name, inline=safe_inline), media_type=file["media_type"]
    )


def cached_text(services: Services, caller: Caller, key: str) -> bytes:
    """A page text of the shared cache, for those who may read a job that holds it."""
    prefix = keys.cache_prefix_of(key)
    if prefix is None or not key.endswith(".txt"):
        raise NotFound("Only .txt files inside cache/ are served here.")
    if services.jobs.holding(prefix, visible_filter(caller)) is None:
        raise NotFound("There is no such file.")
    return services.objects.get(key)
