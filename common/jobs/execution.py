"""Runs one job's processor inside the child process: context in, stored results out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from common.archive.manifest import Origin
from common.archive.readme import readme
from common.archive.vault import vault
from common.jobs.vault_entries import vault_entries
from common.objects import keys
from common.objects.recent import RecentObjects
from common.objects.store import ObjectStore
from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy, policy_of
from common.processing.base import Context, Limits, Progress, Result, StoredFile
from common.processing.language_model import configured_model
from common.processing.media.configured import configured_transcriber
from common.processing.registry import job_type
from common.processing.storage import GuardedSources, ObjectCache, ObjectFiles
from common.processing.transform.stored import fetch_templates
from common.queue.base import BATCH_ARCHIVE
from common.settings import Settings
from common.text import as_text

README_FACTS = ("event", "track", "speakers", "date", "language")

Document = dict[str, Any]


def execute(
    job: Document, progress: Progress, settings: Settings, *, on_cache: Callable[[str], None]
) -> Document:
    """What the job document will hold. `on_cache` hears of every cache before the job touches it, so that
    what a job leaves there is known even if it fails."""
    if job["job_type"] == BATCH_ARCHIVE:
        from common.jobs.batch_archive import build_batch_archive

        return build_batch_archive(job, progress, settings)
    kind = job_type(job["job_type"])
    parameters = kind.model().model_validate(job["parameters"])
    objects = RecentObjects(settings.objects)
    files = ObjectFiles(objects, job["job_id"], job["attempt"])

    def cache(kind: str, sha256: str, method: str) -> ObjectCache:
        on_cache(keys.cache_prefix(kind, sha256, method))
        return ObjectCache(objects, kind, sha256, method)

    with tempfile.TemporaryDirectory(prefix="secretary-") as scratch, configured_model(settings) as model:
        context = Context(
            scratch=Path(scratch),
            files=files,
            sources=GuardedSources(
                lambda: _outbound(policy_of(settings.outbound)),
                Path(scratch),
                max_bytes=settings.limits.download_bytes,
                roots=tuple(settings.files.roots),
                objects=objects,
                user_id=job["user_id"],
            ),
            progress=progress,
            cache=cache,
            checkpoint=job.get("checkpoint") or {},
            limits=processing_limits(settings),
            model=model,
            transcriber=configured_transcriber(settings.speech, policy_of(settings.outbound)),
            template_folders=(
                *settings.templates.folders,
                *fetch_templates(objects, settings.templates.prefix, Path(scratch) / "templates"),
            ),
        )
        result = kind.load_handler()(parameters, context)
        archive = _archive(job, result, files, objects) if result.archive_name else None
        for name, text in result.texts.items():
            files.write(f"texts/{name}.txt", text.encode(), "text/plain; charset=utf-8")
    return _stored(result, files.listing(), archive)


def processing_limits(settings: Settings) -> Limits:
    section = settings.limits
    return Limits(
        pages=section.pdf_pages,
        download_bytes=section.download_bytes,
        unpacked_bytes=section.unpacked_bytes,
        image_pixels=section.image_pixels,
        inline_markdown_bytes=section.inline_markdown_bytes,
        model_calls=settings.llm.max_cost_calls,
        model_parallel=settings.llm.max_parallel,
    )


@lru_cache(maxsize=1)
def _outbound(policy: OutboundPolicy) -> Outbound:
    return Outbound(policy)


def _archive(job: Document, result: Result, files: ObjectFiles, objects: ObjectStore) -> Document:
    """Streamed from the store into the store; the archive is complete or not there at all."""
    name = result.archive_name or "archive.zip"
    title = result.metadata.get("title") or job.get("job_name") or Path(result.markdown_file or name).stem
    origin = Origin(engines=result.metadata.get("engines", {}), options=job["parameters"])
    text = readme(
        title=str(title),
        facts={fact: as_text(result.metadata.get(fact)) for fact in README_FACTS},
        links=result.metadata.get("sources") or [job["parameters"].get("url") or ""],
        language=job["parameters"].get("target_language") or "en",
    )
    stored = objects.put_stream(
        keys.archive(job["job_id"], job["attempt"], name),
        vault(vault_entries(files.listing(), objects), readme=text, origin=origin),
        "application/zip",
    )
    return {"filename": name, "key": stored.key, "size": stored.size, "sha256": stored.sha256}


def _stored(result: Result, files: tuple[StoredFile, ...], archive: Document | None) -> Document:
    results = {
        "markdown_file": result.markdown_file,
        "page_texts": list(result.page_texts),
        "assets": list(result.assets),
        "target_dir": result.target_dir,
        "metadata": result.metadata,
        "structured_data": result.structured_data,
        "texts": list(result.texts),
        "warnings": [asdict(warning) for warning in result.warnings],
        "llm_requests": list(result.llm_requests),
        "is_from_cache": result.is_from_cache,
        "archive": archive,
    }
    return {"results": results, "files": [asdict(file) for file in files]}
