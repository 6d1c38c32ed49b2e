"""Use-case: what a job would be, told without running it. Looks at the source, but reads no page of it."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from common.access import Caller, owner_of_new
from common.errors import DownloadTooLarge, ProcessingError
from common.jobs.demands import check_demands
from common.jobs.requests import parse_job
from common.objects import keys
from common.outbound.client import Outbound
from common.outbound.policy import policy_of_a_call
from common.processing.base import SourceFile
from common.processing.registry import job_type
from common.processing.storage import GuardedSources
from common.services import Services
from common.uploads.use import check_uploads

LOOKED_AT_BYTES = 64 * 1024**2  # a larger source is not fetched only to be looked at
PDF = "application/pdf"


def estimate(services: Services, caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    """The same checks as on submit; what cannot be known without running the job is null."""
    request, parameters = parse_job(body)
    check_demands(services.settings, request.job_type, parameters)
    owner = owner_of_new(caller, request.user_id)
    check_uploads(services, owner, [parameters], where="")
    kind = job_type(request.job_type)
    told: dict[str, Any] = {
        "job_type": kind.name, "parameters": parameters, "media_type": None, "size": None, "sha256": None,
        "pages": None, "is_cached": None, "notes": [],
    }  # fmt: skip
    if {"url", "upload_id", "file_path"} & parameters.keys() and "session" not in parameters:
        told |= _source(services, owner, kind.name, parameters)
    told["model_calls"] = _model_calls(services, told["pages"], parameters)
    recent = services.statistics.durations(kind.name, None)
    told["expected_seconds"] = round(statistics.median(recent), 3) if recent else None
    return told


def _source(services: Services, owner: str, kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    given = {name: parameters.get(name) for name in ("url", "upload_id", "file_path")}
    options = services.settings
    with (
        tempfile.TemporaryDirectory(prefix="secretary-") as folder,
        Outbound(policy_of_a_call(options)) as outbound,
    ):
        sources = GuardedSources(
            lambda: outbound,
            Path(folder),
            max_bytes=min(LOOKED_AT_BYTES, options.limits.download_bytes),
            roots=tuple(options.files.roots),
            objects=services.objects,
            user_id=owner,
        )
        try:
            source = sources.fetch(**given)
        except DownloadTooLarge:
            return {"notes": [f"The source is larger than {LOOKED_AT_BYTES} bytes and was not looked at."]}
        return _facts(services, kind, source, max_pages=options.limits.pdf_pages)


def _facts(services: Services, kind: str, source: SourceFile, *, max_pages: int) -> dict[str, Any]:
    pages, notes = None, []
    if source.media_type == PDF:
        from common.processing.pdf.document import open_document

        try:
            with open_document(source.path, max_pages=max_pages) as document:
                pages = document.info.pages
        except ProcessingError as error:
            notes.append(error.message)
    cached = next(services.objects.listing(keys.cache_content_prefix(kind, source.sha256)), None)
    return {
        "media_type": source.media_type, "size": source.size, "sha256": source.sha256, "pages": pages,
        "is_cached": cached is not None, "notes": notes,
    }  # fmt: skip


def _model_calls(services: Services, pages: int | None, parameters: dict[str, Any]) -> int | None:
    """One for each page a model reads, and one for a template."""
    if not services.settings.llm.is_configured:
        return 0
    template = 1 if parameters.get("template") or parameters.get("template_content") else 0
    if "llm" not in str(parameters.get("extraction_method", "")):
        return template
    return None if pages is None else pages + template
