"""Use-case: what was done, what runs, what waits. Counting a million jobs takes a moment, so the figures are
kept as a snapshot: small stores count on reading, large ones leave it to the sweep."""

from __future__ import annotations

import statistics
import time
from datetime import datetime, timedelta
from typing import Any

from common.access import Caller
from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus
from common.services import Services

WINDOWS = {"1h": 1, "24h": 24, "7d": 7 * 24, "30d": 30 * 24}  # hours
FRESH_SECONDS = 1.0
QUICK_SECONDS = 0.2  # what a reader may be made to wait for
REST = 50  # counting may take a fiftieth of the time


def read_statistics(services: Services, caller: Caller, *, window: str) -> Document:
    """All jobs for an administrator; their own newest for everyone else, never too many to count."""
    user_id = None if caller.is_admin else caller.user_id
    known = services.statistics.snapshot(_name(user_id, window))
    is_quick = user_id is not None or (known is not None and known["seconds"] < QUICK_SECONDS)
    if known is None or (_is_stale(known, services.clock()) and is_quick):
        known = _count(services, user_id, window)
    return _shown(known)


def refresh_statistics(services: Services) -> int:
    """For the sweep: once one snapshot is too costly to be made by its readers, all are made here."""
    known = {window: services.statistics.snapshot(_name(None, window)) for window in WINDOWS}
    if not any(one and one["seconds"] >= QUICK_SECONDS for one in known.values()):
        return 0
    due = [window for window, one in known.items() if one is None or _is_stale(one, services.clock())]
    for window in due:
        _count(services, None, window)
    return len(due)


def _name(user_id: str | None, window: str) -> str:
    return f"all:{window}" if user_id is None else f"user:{window}:{user_id}"


def _is_stale(snapshot: Document, now: datetime) -> bool:
    age = (now - snapshot["at"]).total_seconds()
    return bool(age > max(FRESH_SECONDS, REST * snapshot["seconds"]))


def _count(services: Services, user_id: str | None, window: str) -> Document:
    began, now = time.monotonic(), services.clock()
    values = _figures(services, user_id, now, WINDOWS[window])
    snapshot = {"at": now, "seconds": time.monotonic() - began, "window": window, "values": values}
    services.statistics.keep_snapshot(_name(user_id, window), snapshot)
    return snapshot


def _figures(services: Services, user_id: str | None, now: datetime, hours: int) -> Document:
    store = services.statistics
    rows = store.by_type_and_status(user_id)
    types = sorted({kind for kind, _, _ in rows})
    ended = store.finished_by_hour(now - timedelta(hours=hours), user_id)
    total, active = store.batches(user_id)
    oldest = store.oldest_waiting(user_id)
    return {
        "jobs": _by_status(rows),
        "types": [_type(kind, rows, store.durations(kind, user_id)) for kind in types],
        "batches": {"total": total, "active": active},
        "tracks": store.tracks(user_id),
        "throughput": [
            {
                "hour": row["_id"]["hour"],
                "status": row["_id"]["status"],
                "count": row["count"],
                "mean_seconds": _seconds(row["milliseconds"]),
            }
            for row in ended
        ],
        "success_rate": _success_rate(ended),
        "queue": {
            "depth": sum(count for _, status, count in rows if status == JobStatus.PENDING),
            "oldest_seconds": max(0.0, (now - oldest).total_seconds()) if oldest else None,
        },
    }


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds / 1000, 3)


def _by_status(rows: list[tuple[str, str, int]]) -> dict[str, int]:
    counts = {status.value: 0 for status in JobStatus}
    for _, status, count in rows:
        counts[status] += count
    return {"total": sum(counts.values())} | counts


def _type(kind: str, rows: list[tuple[str, str, int]], durations: list[float]) -> dict[str, Any]:
    own = [row for row in rows if row[0] == kind]
    ordered = sorted(durations)
    return {
        "job_type": kind,
        **_by_status(own),
        "median_seconds": round(statistics.median(ordered), 3) if ordered else None,
        "slowest_tenth_seconds": round(ordered[int(0.9 * (len(ordered) - 1))], 3) if ordered else None,
    }


def _success_rate(ended: list[Document]) -> float | None:
    """Of what ended in the window by itself; what was cancelled tells nothing."""
    counts = dict.fromkeys((JobStatus.COMPLETED, JobStatus.FAILED), 0)
    for row in ended:
        if row["_id"]["status"] in counts:
            counts[row["_id"]["status"]] += row["count"]
    total = sum(counts.values())
    return round(counts[JobStatus.COMPLETED] / total, 4) if total else None


def _shown(snapshot: Document) -> Document:
    return {**snapshot["values"], "as_of": snapshot["at"], "window": snapshot["window"]}
