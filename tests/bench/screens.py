"""How long the dashboard's requests take with few jobs in the store and with many: they must not grow.

    python -m tests.bench.screens --jobs 1000000

Fills two databases of one mongod with jobs as the service itself writes them, asks each request of the first
screen and of every filter at the gateway, and ends with 1 if any takes more than twice as long with many.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
from pymongo import WriteConcern

from common.access import Caller
from common.clock import first_id, utc_now
from common.jobs.database import Document, create_indexes
from common.jobs.lifecycle import JobStatus
from common.jobs.search import words_of
from common.jobs.submit import submit_batch, submit_job
from common.services import Services, build
from common.settings import load_settings
from tests.integration.api.work import EMPTY_ZIP, fail, finish, start
from tests.servers.gateway import gateway
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer

FEW = 1_000
AT_ONCE = 5_000
ASKED = 15  # times each; the median counts
MOST_TIMES_SLOWER = 2.0
NOISE_SECONDS = 0.003  # below this a ratio says nothing
# Each filter finds a full page among the few too: what is compared is the store, not the page.
STATES = ("completed",) * 12 + ("failed",) * 4 + ("pending", "pending", "processing", "cancelled")
TRACKS = 100
MEMBERS = 25  # of a batch
ANNA = Caller(user_id="local", is_admin=True)
GERMAN = ("Bericht", "Protokoll", "Kasse", "Sitzung", "Vortrag")


def samples(services: Services) -> dict[str, Document]:
    """One job in each state, written by the service; all others are copies with names of their own."""
    parameters = {
        "event": "Open Archive Days", "session": "Keeping the Minutes", "track": "Tools",
        "filename": "minutes.md",
        "url": "https://example.org/2026/minutes.html", "speakers": ["Anna Archivar"],
    }  # fmt: skip
    body = {"job_type": "session", "parameters": parameters, "tags": ["bench"]}
    found = {}
    for state in dict.fromkeys(STATES):
        job = submit_job(services, ANNA, body, key=None)
        if state == "completed":
            finish(services, job.job_id, archive=EMPTY_ZIP)
        elif state in ("failed", "cancelled"):
            fail(services, job.job_id)
        elif state == "processing":
            start(services, job.job_id)
        found[state] = (services.database["jobs"].find_one({"_id": job.job_id}) or {}) | {"status": state}
    services.database["jobs"].delete_many({})
    return found


def jobs(found: dict[str, Document], count: int, batch_ids: list[str]) -> Iterator[Document]:
    """Spread over a year, newest last."""
    chance = random.Random(7)  # the same jobs each time
    now = utc_now()
    for number in range(count):
        made = dict(found[STATES[number % len(STATES)]])
        created = now - timedelta(seconds=31_536_000 * (1 - number / count))
        job_id = f"{first_id('job', created)}{number:020x}"
        parameters = made["parameters"] | {
            "track": f"Track {number % TRACKS}",
            "session": f"{chance.choice(GERMAN)} {chance.choice(GERMAN)} {number}",
        }  # fmt: skip
        made |= {"_id": job_id, "job_id": job_id, "created_at": created, "parameters": parameters}
        made |= {"words": words_of(None, parameters), "batch_id": batch_ids[number // MEMBERS]}
        made |= {"job_type": ("session", "pdf", "office", "imageocr")[number % 4]}
        made |= {"tags": ["bench", f"week-{number * 52 // count}"]}
        if made.get("completed_at"):
            made |= {
                "processing_started_at": created,
                "completed_at": created + timedelta(seconds=chance.expovariate(0.1)),
            }
        yield made


def fill(services: Services, count: int) -> str:
    """The indexes come last, which takes a fraction of the time. Gives the id of one batch."""
    create_indexes(services.database)
    found = samples(services)
    batch, _ = submit_batch(services, ANNA, {"batch_name": "bench", "jobs": []}, key=None)
    model = services.database["batches"].find_one({"_id": batch.batch_id}) or {}
    now = utc_now()
    number = -(-count // MEMBERS)
    ids = [f"{first_id('batch', now - timedelta(minutes=number - at))}{at:020x}" for at in range(number)]
    fast = WriteConcern(w=1, j=False)
    for name in ("jobs", "batches"):
        services.database[name].drop_indexes()
    rows = iter(model | {"_id": one, "batch_id": one, "created_at": now} for one in ids)
    while part := list(islice(rows, AT_ONCE)):
        services.database["batches"].with_options(write_concern=fast).insert_many(part)
    made = jobs(found, count, ids)
    while part := list(islice(made, AT_ONCE)):
        services.database["jobs"].with_options(write_concern=fast).insert_many(part)
    create_indexes(services.database)
    return ids[-1]


def screens(batch_id: str) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """What the dashboard asks, by what its user does."""
    page = {"limit": 50}
    listed = "/api/jobs"
    year = utc_now()
    return {
        "first screen": [
            ("/api/monitoring/events/stats", {}), (listed, {"limit": 10}), ("/api/batches", {"limit": 20}),
        ],
        "all jobs": [(listed, page)],
        **{f"status {one.value}": [(listed, page | {"status": one.value})] for one in JobStatus},
        "type": [(listed, page | {"job_type": "pdf"})],
        "type and status": [(listed, page | {"job_type": "office", "status": "failed"})],
        "a batch": [(listed, page | {"batch_id": batch_id}), (f"/api/batches/{batch_id}", {})],
        "a user": [(listed, page | {"user_id": "local"})],
        "a tag": [(listed, page | {"tag": "bench"})],
        "search, one word": [(listed, page | {"q": "bericht"})],
        "search, two words": [(listed, page | {"q": "kasse sitzung"})],
        "search, a rare word": [(listed, page | {"q": "777"})],
        "search, nothing": [(listed, page | {"q": "zwetschge"})],
        "search and status": [(listed, page | {"q": "bericht", "status": "failed"})],
        "search and type": [(listed, page | {"q": "protokoll", "job_type": "pdf"})],
        "tag and status": [(listed, page | {"tag": "bench", "status": "processing"})],
        "a year ago": [(listed, page | {"created_before": (year - timedelta(days=360)).isoformat()})],
        "last month": [(listed, page | {"created_after": (year - timedelta(days=30)).isoformat()})],
    }  # fmt: skip


def measure(few: tuple[str, str], many: tuple[str, str]) -> dict[str, tuple[float, float]]:
    """Median seconds of each screen at both, asked in turns, so that a busy machine is busy for both."""
    with (
        httpx.Client(base_url=few[0], timeout=120) as one,
        httpx.Client(base_url=many[0], timeout=120) as other,
    ):
        pairs = zip(screens(few[1]).items(), screens(many[1]).values(), strict=True)
        return {name: _medians((one, asked), (other, same)) for (name, asked), same in pairs}


def _medians(*sides: tuple[httpx.Client, list[tuple[str, dict[str, Any]]]]) -> tuple[float, float]:
    """The first answers are not counted: they warm the caches."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(ASKED + 2):
        for seconds, (api, requests) in zip(took, sides, strict=True):
            began = time.perf_counter()
            for path, query in requests:
                api.get(path, params=query).raise_for_status()
            seconds.append(time.perf_counter() - began)
    return statistics.median(took[0][2:]), statistics.median(took[1][2:])


def run(many: int) -> dict[str, tuple[float, float]]:
    with tempfile.TemporaryDirectory(prefix="secretary-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        mongo, objects = MongoServer(folder / "mongo"), SeaweedServer(folder / "objects")
        mongo.start()
        objects.start()
        try:
            shared = {"MONGODB_URI": mongo.uri, **objects.environment}
            small, large = shared | {"MONGODB_DB_NAME": "few"}, shared | {"MONGODB_DB_NAME": "many"}
            ids = [_filled(small, FEW), _filled(large, many)]
            with gateway(small, folder) as few, gateway(large, folder) as lots:
                return measure((few, ids[0]), (lots, ids[1]))
        finally:
            mongo.stop()
            objects.stop()


def _filled(environment: dict[str, str], count: int) -> str:
    services = build(load_settings(environment))
    began = time.monotonic()
    batch_id = fill(services, count)
    print(f"{count} jobs written in {time.monotonic() - began:.0f} s", file=sys.stderr)
    services.close()
    return batch_id


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--jobs", type=int, default=1_000_000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    found = run(chosen.jobs)
    slow = {
        name
        for name, (few, many) in found.items()
        if many > max(MOST_TIMES_SLOWER * few, few + NOISE_SECONDS)
    }
    if chosen.json:
        print(json.dumps({"jobs": [FEW, chosen.jobs], "seconds": found, "slow": sorted(slow)}))
    else:
        for name, (few, many) in found.items():
            mark = "  too slow" if name in slow else ""
            print(f"{name:22} {1000 * few:8.1f} ms {1000 * many:8.1f} ms {many / few:6.2f} x{mark}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
