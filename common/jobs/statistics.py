"""Use-case: how the service is doing. Reading stays equally quick however many jobs there are: what ended is
kept by the hour, and of a large store the counts are those of the last sweep that had time for them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from common.access import Caller
from common.jobs.database import Document
from common.jobs.lifecycle import JobStatus
from common.jobs.statistics_store import MOST_TRACKS, StatisticsStore
from common.metrics.store import MetricsStore
from common.processing.registry import job_types
from common.services import Services

COUNTED_LIVE = 20_000  # jobs; up to here counting is quicker than anyone notices
COUNTING_SHARE = 20  # counting may take a twentieth of the time
LEAST_PAUSE_SECONDS = 5.0
CATCH_UP_HOURS = 48  # after a long stop; older hours are left as they are
WINDOWS = {
    "24h": (timedelta(hours=24), timedelta(hours=1)),
    "7d": (timedelta(days=7), timedelta(hours=6)),
    "30d": (timedelta(days=30), timedelta(days=1)),
}
HOUR = timedelta(hours=1)


def statistics(services: Services, caller: Caller, *, window: str) -> dict[str, Any]:
    """An administrator sees the whole service, everyone else their own newest jobs."""
    store = StatisticsStore(services.database)
    now = services.clock()
    user_id = None if caller.is_admin else caller.user_id
    counts, as_of = _counts(store, user_id, now)
    by_state = _by_state(counts["jobs"])
    total_batches, open_batches = store.batches(user_id)
    shown: dict[str, Any] = {
        "as_of": as_of,
        "window": window,
        "jobs": {"total": sum(by_state.values())} | by_state,
        "batches": {"total": total_batches, "active": open_batches},
        "tracks": _tracks(counts["tracks"]),
        "by_type": [_of_type(kind, counts["jobs"]) for kind in _kinds(counts["jobs"])],
        "queue": {"depth": by_state["pending"], "oldest_seconds": None},
        "success_rate": _rate(by_state["completed"], by_state["failed"]),
        "throughput": [],
    }
    return shown | (_of_everyone(services, store, shown, now) if caller.is_admin else {})


def update_statistics(services: Services) -> None:
    """For the sweep: the hours that may have changed, and the counts of a store too large to count live."""
    store = StatisticsStore(services.database)
    now = services.clock()
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    newest = store.newest_hour()
    first = max(newest or this_hour - HOUR, this_hour - CATCH_UP_HOURS * HOUR) - HOUR
    hours = [first + number * HOUR for number in range(int((this_hour - first) / HOUR) + 1)]
    store.keep_hours({hour: store.ended_in(hour) for hour in hours})
    if store.size() > COUNTED_LIVE and store.take_turn(now, next_turn=now + timedelta(minutes=10)):
        _count_and_keep(store, now)


def _count_and_keep(store: StatisticsStore, now: datetime) -> None:
    began = time.monotonic()
    counts = store.count_all()
    pause = max(COUNTING_SHARE * (time.monotonic() - began), LEAST_PAUSE_SECONDS)
    store.keep_counts(counts, at=now, next_turn=now + timedelta(seconds=pause))


def _counts(store: StatisticsStore, user_id: str | None, now: datetime) -> tuple[Document, datetime]:
    if user_id is not None:
        return store.count_of_user(user_id), now
    kept = store.kept_counts() if store.size() > COUNTED_LIVE else None
    return (kept, kept["at"]) if kept else (store.count_all(), now)


def _of_everyone(
    services: Services, store: StatisticsStore, shown: dict[str, Any], now: datetime
) -> dict[str, Any]:
    length, step = WINDOWS[shown["window"]]
    throughput = _throughput(store.hours_since(_floor(now - length + step, step)), now, length, step)
    metrics = MetricsStore(services.database)
    oldest = metrics.oldest_waiting(row["job_type"] for row in shown["by_type"] if row["pending"])
    waiting = {kind: max((now - born).total_seconds(), 0.0) for kind, born in oldest.items()}
    for row in shown["by_type"]:
        row["oldest_seconds"] = waiting.get(row["job_type"])
        row |= durations(metrics, row["job_type"])
    done, failed = (sum(bucket[name] for bucket in throughput) for name in ("completed", "failed"))
    return {
        "throughput": throughput,
        "success_rate": _rate(done, failed),
        "queue": {"depth": shown["queue"]["depth"], "oldest_seconds": max(waiting.values(), default=None)},
    }


def durations(metrics: MetricsStore, job_type: str) -> dict[str, float | None]:
    """Of the newest completed jobs: half of them took at most the one, 95 in 100 at most the other."""
    seconds = sorted(metrics.durations(job_type))
    if not seconds:
        return {"median_seconds": None, "p95_seconds": None}
    last = len(seconds) - 1
    return {
        "median_seconds": round(seconds[last // 2], 3),
        "p95_seconds": round(seconds[min(int(0.95 * len(seconds)), last)], 3),
    }


def _throughput(
    hours: Iterable[Document], now: datetime, length: timedelta, step: timedelta
) -> list[dict[str, Any]]:
    last = _floor(now, step)
    starts = [last - number * step for number in range(round(length / step))][::-1]
    sums: dict[datetime, dict[str, float]] = {start: defaultdict(float) for start in starts}
    for hour in hours:
        bucket = sums.get(_floor(hour["hour"], step))
        for row in hour["rows"] if bucket is not None else ():
            bucket[row["status"]] += row["count"]  # type: ignore[index]
            if row["status"] == JobStatus.COMPLETED:
                bucket["seconds"] += row["seconds"]  # type: ignore[index]
    return [_bucket(start, found) for start, found in sums.items()]


def _bucket(start: datetime, found: dict[str, float]) -> dict[str, Any]:
    counts = {name: int(found.get(name, 0)) for name in ("completed", "failed", "cancelled")}
    mean = round(found["seconds"] / counts["completed"], 3) if counts["completed"] else None
    return {"start": start} | counts | {"mean_seconds": mean}


def _floor(moment: datetime, step: timedelta) -> datetime:
    seconds = int(step.total_seconds())
    return datetime.fromtimestamp(int(moment.timestamp()) // seconds * seconds, tz=moment.tzinfo)


def _by_state(rows: Iterable[Document]) -> dict[str, int]:
    counts = dict.fromkeys((status.value for status in JobStatus), 0)
    for row in rows:
        counts[row["status"]] += row["count"]
    return counts


def _kinds(rows: Iterable[Document]) -> list[str]:
    return sorted({row["job_type"] for row in rows} | set(job_types()))


def _of_type(kind: str, rows: Iterable[Document]) -> dict[str, Any]:
    counts = _by_state(row for row in rows if row["job_type"] == kind)
    rate = _rate(counts["completed"], counts["failed"])
    unknown = dict.fromkeys(("oldest_seconds", "median_seconds", "p95_seconds"))
    return {"job_type": kind, "total": sum(counts.values())} | counts | {"success_rate": rate} | unknown


def _tracks(rows: Iterable[Document]) -> list[dict[str, Any]]:
    """In the form of the first clients: `_id` is the track's name."""
    tracks: dict[str, dict[str, Any]] = {}
    for row in rows:
        track = tracks.setdefault(
            row["track"],
            {"_id": row["track"], "track": row["track"], "count": 0, "completed": 0, "failed": 0},
        )
        track["count"] += row["count"]
        if row["status"] in ("completed", "failed"):
            track[row["status"]] += row["count"]
    return sorted(tracks.values(), key=lambda track: (-track["count"], track["_id"]))[:MOST_TRACKS]


def _rate(completed: int, failed: int) -> float | None:
    ended = completed + failed
    return round(completed / ended, 4) if ended else None
