"""The layout of the bucket: every key is made here."""

from __future__ import annotations

import re
from urllib.parse import quote

CACHE = "cache"
CACHED_FILE = re.compile(r"(cache/[a-z]+/[0-9a-f]{64}/[A-Za-z0-9_.-]+)/[^/]+")


def result(job_id: str, attempt: int, path: str) -> str:
    """With the attempt in it, so that a worker that lost its lease cannot overwrite a newer result."""
    return f"{job_prefix(job_id)}{attempt}/{path}"


def job_prefix(job_id: str) -> str:
    return f"jobs/{job_id}/"


def archive(job_id: str, attempt: int, filename: str) -> str:
    return f"{archive_prefix(job_id)}{attempt}/{filename}"


def archive_prefix(job_id: str) -> str:
    return f"archives/{job_id}/"


def batch_archive(batch_id: str, filename: str) -> str:
    return f"{batch_archive_prefix(batch_id)}{filename}"


def batch_archive_prefix(batch_id: str) -> str:
    return f"archives/batches/{batch_id}/"


def upload(user_id: str, upload_id: str, filename: str) -> str:
    return f"{upload_prefix(user_id, upload_id)}{filename}"


def upload_prefix(user_id: str, upload_id: str) -> str:
    """The owner is part of it: a job finds the files of its own user and no others."""
    return f"uploads/{quote(user_id, safe='')}/{quote(upload_id, safe='')}/"


def cache_prefix(kind: str, sha256: str, method: str) -> str:
    """Shared by all jobs on the same content."""
    return f"{CACHE}/{kind}/{sha256}/{method}"


def cache_content_prefix(kind: str, sha256: str) -> str:
    """All methods by which one content has been read."""
    return f"{CACHE}/{kind}/{sha256}/"


def cache_prefix_of(key: str) -> str | None:
    """The prefix of a cached file's key, or None for any other key."""
    match = CACHED_FILE.fullmatch(key)
    return match[1] if match else None
