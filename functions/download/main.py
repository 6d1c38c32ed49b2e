"""Function download: archives and files as signed URLs, page texts as they are."""

from __future__ import annotations

from typing import Any

import flask
import functions_framework

from common.http.message import Answer, Request
from common.http.router import Router
from common.jobs.queries import ArchiveQuery, FileQuery
from common.jobs.read import archive_url, cached_text, file_of, read_job, sign_file
from common.jobs.view import file_url
from common.objects.store import SignedUrl

router = Router("job-download")
NO_STORE = {"Cache-Control": "no-store"}  # a signed URL is for the one who asked


@router.route(
    "GET",
    "/api/jobs/{job_id}/download-archive",
    "/api/event-job/jobs/{job_id}/download-archive",
    "/api/events/jobs/{job_id}/download-archive",
)
def archive(request: Request) -> Answer:
    job = read_job(request.services, request.caller, request.arguments["job_id"])
    signed, stored = archive_url(request.services, job)
    facts = {name: stored[name] for name in ("filename", "size", "sha256")}
    return _signed(signed, facts, redirect=request.parse(ArchiveQuery).redirect)


@router.route("GET", "/api/jobs/{job_id}/files")
def files(request: Request) -> Answer:
    job = read_job(request.services, request.caller, request.arguments["job_id"])
    rows = [
        {name: file[name] for name in ("path", "size", "sha256", "media_type")}
        | {"url": file_url(job, file["path"])}
        for file in job.files
    ]
    return Answer(data={"files": rows, "total": len(rows)})


@router.route("GET", "/api/jobs/{job_id}/files/{path+}")
def file(request: Request) -> Answer:
    job = read_job(request.services, request.caller, request.arguments["job_id"])
    found = file_of(job, request.arguments["path"])
    query = request.parse(FileQuery)
    signed = sign_file(request.services, found, inline=query.inline)
    facts = {name: found[name] for name in ("path", "size", "sha256")}
    return _signed(signed, facts, redirect=query.redirect)


@router.route("GET", "/api/pdf/text-content/{path+}", "/api/files/text/{path+}")
def text(request: Request) -> Answer:
    content = cached_text(request.services, request.caller, request.arguments["path"])
    return Answer(content=content, media_type="text/plain; charset=utf-8")


@router.route("GET", "/api/event-job/files/{path+}", "/api/events/files/{path+}")
def old_file(request: Request) -> Answer:
    """A job's id and a path inside it, or a page text of the cache."""
    path = request.arguments["path"]
    if path.startswith("cache/"):
        return text(request)
    job_id, _, inside = path.partition("/")
    job = read_job(request.services, request.caller, job_id)
    signed = sign_file(request.services, file_of(job, inside), inline=True)
    return Answer(status=302, headers=NO_STORE | {"Location": signed.url})


def _signed(signed: SignedUrl, facts: dict[str, Any], *, redirect: bool) -> Answer:
    if redirect:
        return Answer(status=302, headers=NO_STORE | {"Location": signed.url})
    return Answer(data=facts | {"url": signed.url, "expires_at": signed.expires_at}, headers=NO_STORE)


@functions_framework.http
def download(request: flask.Request) -> flask.Response:
    return router(request)
