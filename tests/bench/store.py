"""A growing store: what claim, lists, statistics and batches cost when a thousand jobs have become a million.

The jobs are copies of real ones, spread over types, users, states and batches, and written in bulk.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from common.access import Caller
from common.jobs.database import Document, create_indexes
from common.jobs.lists import list_jobs
from common.jobs.queries import JobsQuery
from common.jobs.read import read_batch, read_job
from common.jobs.statistics import read_statistics, refresh_statistics
from common.jobs.submit import submit_batch, submit_job
from common.services import Services, build
from common.settings import load_settings
from tests.bench.figures import Curve, Part, Spread, Table, at_most
from tests.servers.mongo import MongoServer

USER = Caller(user_id="reader")
OWNER = Caller(user_id="owner")
OWNED = 500  # jobs of that user, and of the word that is searched for, in a store of any size
ADMIN = Caller(user_id="operator", is_admin=True)
BODY = {"job_type": "transformer", "parameters": {"text": "one", "template": "Session"}}
TYPES = ("pdf", "session", "transformer", "imageocr", "office")
STATES = ("completed",) * 17 + ("failed", "cancelled", "pending")
MEMBERS = 100  # of each stored batch
USERS = 1_000
AT_ONCE = 5_000
TIMES = 2.0  # flat means: no more than this between the smallest and the largest store


@dataclass(frozen=True, kw_only=True)
class Sizes:
    stored: tuple[int, ...]
    rounds: int


QUICK = Sizes(stored=(1_000, 10_000, 40_000), rounds=60)
FULL = Sizes(stored=(1_000, 10_000, 100_000, 1_000_000), rounds=200)


def measure(sizes: Sizes) -> Part:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        server = MongoServer(Path(folder))
        server.start()
        environment = {"MONGODB_URI": server.uri, "SECRETARY_LOGGING__LEVEL": "WARNING"}
        services = build(load_settings(dict(os.environ) | environment))
        try:
            create_indexes(services.database)
            rows = list(_grow(services, sizes))
        finally:
            services.close()
            server.stop()
    names = tuple(rows[0][1])
    table = Table(
        name="Milliseconds (median) over a growing store",
        head=("stored jobs", *names),
        rows=[(stored, *(spread.p50 for spread in found.values())) for stored, found in rows],
        note=f"Each figure is the median of {sizes.rounds} calls of the use-case, in turn.",
        curve=Curve(file="store.png", over="stored jobs", values=names, unit="ms", lines=True),
    )
    late = Table(
        name="The same, 99 % of the calls are faster than",
        head=("stored jobs", *names),
        rows=[(stored, *(spread.p99 for spread in found.values())) for stored, found in rows],
    )
    targets = tuple(
        at_most(f"{name}, {rows[-1][0]:,} stored jobs against {rows[0][0]:,}", _times(name, rows), TIMES)
        for name in names
    )
    return Part(name="A growing store", tables=(table, late), targets=targets)


def _times(name: str, rows: list[tuple[int, dict[str, Spread]]]) -> float:
    return rows[-1][1][name].p50 / rows[0][1][name].p50


def _grow(services: Services, sizes: Sizes) -> Iterator[tuple[int, dict[str, Spread]]]:
    pattern = services.database["jobs"].find_one({"_id": submit_job(services, USER, BODY, key=None).job_id})
    assert pattern is not None
    have = 0
    for wanted in sizes.stored:
        for start in range(have, wanted, AT_ONCE):
            _store(services, pattern, range(start, min(start + AT_ONCE, wanted)))
        have = wanted
        yield wanted, _costs(services, sizes.rounds)


def _store(services: Services, pattern: Document, numbers: range) -> None:
    jobs = [_copy(services, pattern, number) for number in numbers]
    services.database["jobs"].insert_many(jobs, ordered=False)
    batches = {job["batch_id"]: job for job in jobs}
    known = [_batch(batch_id, job) for batch_id, job in batches.items()]
    for batch in known:
        services.database["batches"].replace_one({"_id": batch["_id"]}, batch, upsert=True)


def _copy(services: Services, pattern: Document, number: int) -> Document:
    job_id, state = services.new_id("job"), STATES[number % len(STATES)]
    ended = datetime.now(UTC) - timedelta(seconds=number)
    final = state != "pending"
    return pattern | {
        "_id": job_id,
        "job_id": job_id,
        "job_type": TYPES[number % len(TYPES)],
        "status": state,
        "user_id": OWNER.user_id if number < OWNED else f"user-{number % USERS}",
        "batch_id": f"batch-{number // MEMBERS:032x}",
        "parameters": pattern["parameters"] | {"track": f"Track {number % 40}"},
        "tags": [f"tag-{number % 50}"],
        "words": ["word", "found" if number < OWNED else f"word{number % 5_000}"],
        "processing_started_at": ended - timedelta(seconds=5) if final else None,
        "completed_at": ended if final else None,
        "resend_at": None if final else datetime.now(UTC) + timedelta(days=1),
        "expires_at": ended + timedelta(days=90) if final else None,
    }


def _batch(batch_id: str, job: Document) -> Document:
    now = datetime.now(UTC)
    return {
        "_id": batch_id, "batch_id": batch_id, "schema": job["schema"], "batch_name": "stored",
        "parameters": {}, "total_jobs": MEMBERS, "user_id": job["user_id"], "owner_groups": [],
        "access_control": job["access_control"], "is_active": True, "archived": False, "created_at": now,
        "updated_at": now, "closed_at": now, "check_at": None, "idempotency": None,
        "webhook": None, "version": 1,
    }  # fmt: skip


def _costs(services: Services, rounds: int) -> dict[str, Spread]:
    batch, _ = submit_batch(services, USER, {"jobs": [BODY] * MEMBERS}, key=None)
    read_statistics(services, ADMIN, window="24h")
    refresh_statistics(services)  # as the sweep does
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        job = submit_job(services, USER, BODY, key=None)
        for name, call in _calls(services, job.job_id, batch.batch_id).items():
            began = time.monotonic()
            call()
            taken.setdefault(name, []).append((time.monotonic() - began) * 1000)
    return {name: Spread(values=values) for name, values in taken.items()}


def _calls(services: Services, job_id: str, batch_id: str) -> dict[str, Callable[[], Any]]:
    failed = JobsQuery.model_validate({"status": "failed"})
    return {
        "claim": lambda: services.jobs.claim(job_id, "bench"),
        "read": lambda: read_job(services, USER, job_id),
        "list, all": lambda: list_jobs(services, ADMIN, JobsQuery()),
        "list, one user's": lambda: list_jobs(services, OWNER, JobsQuery()),
        "list, failed": lambda: list_jobs(services, ADMIN, failed),
        "search": lambda: list_jobs(services, ADMIN, JobsQuery(q="word found")),
        "statistics": lambda: read_statistics(services, ADMIN, window="24h"),
        "batch": lambda: read_batch(services, USER, batch_id),
        "queue": lambda: services.queue.receive(["jobs-transformer"], limit=1, wait_seconds=0),
    }
