"""Pieces of the updates that the stores send: moments by the database's clock, log lines, versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from common.jobs.database import Document

# What every job that nobody runs has in common.
NOTHING_RUNS: Document = {"lease": None, "worker_id": None}


@dataclass(frozen=True, kw_only=True)
class Timing:
    """The times the stores write into documents."""

    lease_seconds: float
    resend_seconds: float
    log_lines: int


def literal(values: Mapping[str, Any]) -> Document:
    """In a pipeline a text that starts with `$` would be read as a field: user data never is."""
    return {name: {"$literal": value} for name, value in values.items()}


def after(seconds: float) -> Document:
    """A moment by the database's clock."""
    return {"$add": ["$$NOW", int(seconds * 1000)]}


def removed_after(seconds: float | None) -> Document:
    """When the sweep removes a job that ends now: at once if a user has asked for it, at the job's own
    time if it has one, else after the installation's; None is never."""
    kept: Document = {"$literal": None} if seconds is None else after(seconds)
    return {"$cond": ["$delete_requested", "$$NOW", {"$ifNull": ["$keep_until", kept]}]}


def stamped(values: Document) -> list[Document]:
    """An update that waiting readers notice."""
    return [{"$set": values | {"updated_at": "$$NOW", "version": {"$add": ["$version", 1]}}}]


def with_logs(lines: Sequence[Document], *, keep: int) -> Document:
    """The job's log with these lines at its end, cut to its newest `keep` lines."""
    dated = [
        {"$mergeObjects": [{"timestamp": "$$NOW", "attempt": "$attempt"}, {"$literal": line}]}
        for line in lines
    ]
    return {"$slice": [{"$concatArrays": ["$logs", dated]}, -keep]}


def line(level: str, message: str) -> Document:
    return {"level": level, "message": message}
