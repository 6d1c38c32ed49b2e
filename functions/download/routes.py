"""Function download: archives and files as signed URLs, page texts as they are."""

from __future__ import annotations

from typing import Any

from common.errors import ArchiveNotFound
from common.http.answers import ArchiveInWork, ArchiveLink, FileLink, FileList
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.jobs.batch_archive import ensure_batch_archive
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Job
from common.jobs.queries import ArchiveQuery, FileQuery
from common.jobs.read import archive_url, cached_text, file_of, read_batch, read_job, sign_file
from common.jobs.view import file_url
from common.objects.store import SignedUrl

FILES = "Files"
ARCHIVE: dict[str, Any] = {
    "tag": FILES,
    "query": ArchiveQuery,
    "data": ArchiveLink,
    "redirects": True,
    "errors": (ArchiveNotFound,),
}

router = Router("job-download")
RETRY_SECONDS = 2  # when to ask again for an archive that is being built
NO_STORE = {"Cache-Control": "no-store"}  # a signed URL is for the one who asked


@router.route(
    "GET",
    "/api/jobs/{job_id}/download-archive",
    "/api/event-job/jobs/{job_id}/download-archive",
    "/api/events/jobs/{job_id}/download-archive",
    operation=Operation(summary="A job's archive", **ARCHIVE),
)
def archive(request: Request) -> Answer:
    job = read_job(request.services, request.caller, request.arguments["job_id"])
    return _archive(request, job)


@router.route(
    "GET",
    "/api/batches/{batch_id}/download-archive",
    operation=Operation(
        summary="A batch's archive",
        **ARCHIVE | {"data": ArchiveLink | ArchiveInWork, "other_statuses": (202,)},
    ),
)
def batch_archive(request: Request) -> Answer:
    """302 when it is built; until then 202 with the job that builds it, to be asked again."""
    batch = read_batch(request.services, request.caller, request.arguments["batch_id"])
    job = ensure_batch_archive(request.services, batch)
    if job.status == JobStatus.COMPLETED:
        return _archive(request, job)
    building = {
        "job_id": job.job_id,
        "status": job.status.value,
        "progress": job.progress,
        "error": job.error,
    }
    return Answer(status=202, data=building, headers=NO_STORE | {"Retry-After": str(RETRY_SECONDS)})


@router.route(
    "GET",
    "/api/jobs/{job_id}/files",
    operation=Operation(summary="All files of a job", tag=FILES, data=FileList),
)
def files(request: Request) -> Answer:
    job = read_job(request.services, request.caller, request.arguments["job_id"])
    rows = [
        {name: file[name] for name in ("path", "size", "sha256", "media_type")}
        | {"url": file_url(job, file["path"])}
        for file in job.files
    ]
    return Answer(data={"files": rows, "total": len(rows)})


@router.route(
    "GET",
    "/api/jobs/{job_id}/files/{path+}",
    operation=Operation(
        summary="One file of a job", tag=FILES, query=FileQuery, data=FileLink, redirects=True
    ),
)
def file(request: Request) -> Answer:
    job = read_job(request.services, request.caller, request.arguments["job_id"])
    found = file_of(job, request.arguments["path"])
    query = request.parse(FileQuery)
    signed = sign_file(request.services, found, inline=query.inline)
    facts = {name: found[name] for name in ("path", "size", "sha256")}
    return _signed(signed, facts, redirect=query.redirect)


@router.route(
    "GET",
    "/api/pdf/text-content/{path+}",
    "/api/files/text/{path+}",
    operation=Operation(summary="The text of one page", tag=FILES, media_type="text/plain"),
)
def text(request: Request) -> Answer:
    content = cached_text(request.services, request.caller, request.arguments["path"])
    return Answer(content=content, media_type="text/plain; charset=utf-8")


@router.route(
    "GET",
    "/api/event-job/files/{path+}",
    "/api/events/files/{path+}",
    operation=Operation(
        summary="One file, by job and path", tag="Old routes", media_type="text/plain", redirects=True
    ),
)
def old_file(request: Request) -> Answer:
    """A job's id and a path inside it, or a page text of the cache."""
    path = request.arguments["path"]
    if path.startswith("cache/"):
        return text(request)
    job_id, _, inside = path.partition("/")
    job = read_job(request.services, request.caller, job_id)
    signed = sign_file(request.services, file_of(job, inside), inline=True)
    return Answer(status=302, headers=NO_STORE | {"Location": signed.url})


def _archive(request: Request, job: Job) -> Answer:
    signed, stored = archive_url(request.services, job)
    facts = {name: stored[name] for name in ("filename", "size", "sha256")}
    return _signed(signed, facts, redirect=request.parse(ArchiveQuery).redirect)


def _signed(signed: SignedUrl, facts: dict[str, Any], *, redirect: bool) -> Answer:
    if redirect:
        return Answer(status=302, headers=NO_STORE | {"Location": signed.url})
    return Answer(data=facts | {"url": signed.url, "expires_at": signed.expires_at}, headers=NO_STORE)
