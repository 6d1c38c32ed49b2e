"""The API: answers per second of its most used routes beside a bare function in the same server, and what a
thousand callers cost that only wait."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from common.jobs.database import connect, create_indexes
from common.settings import load_settings
from infra.local.ports import HOST, free_ports
from infra.local.stack import is_ready
from tests.bench.figures import Curve, Part, Spread, Table, Target, at_least, at_most
from tests.bench.load import Line, get, load, post
from tests.bench.processes import ROOT, cpu_seconds, descendants, memory_mb
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer

BODY = {"job_type": "transformer", "parameters": {"text": "one", "template": "Session"}}
START_SECONDS = 60.0
WAIT_SECONDS = 20
FILE = "result.md"
SUBMIT_SHARE = 0.25


@dataclass(frozen=True, kw_only=True)
class Sizes:
    rounds: int
    seconds: float  # of load on one route in one round
    waiters: int


QUICK = Sizes(rounds=2, seconds=1.5, waiters=1_000)
FULL = Sizes(rounds=5, seconds=4.0, waiters=1_000)


@dataclass(frozen=True, kw_only=True)
class Server:
    url: str
    pid: int

    @property
    def pids(self) -> list[int]:
        return [self.pid, *descendants(self.pid)]


def measure(sizes: Sizes) -> Part:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, _stores(Path(folder)) as environment:
        with (
            _served("tests.bench.bare", environment, path="/") as bare,
            _served("infra.local.gateway", environment) as ours,
        ):
            routes, submits = _routes(sizes, bare, ours, environment)
        with _served("infra.local.gateway", environment) as ours:
            waiting, waiters = _waiters(sizes, ours)
    return Part(name="API", tables=(routes, waiting), targets=(submits, waiters))


@contextmanager
def _stores(folder: Path) -> Iterator[dict[str, str]]:
    mongo, objects = MongoServer(folder / "mongod"), SeaweedServer(folder / "objects")
    mongo.start()
    try:
        objects.start()
        environment = objects.environment | {
            "MONGODB_URI": mongo.uri,
            "SECRETARY_LOGGING__LEVEL": "WARNING",
            "PYTHONPATH": str(ROOT),
        }
        database = connect(load_settings(environment).mongodb)
        create_indexes(database)
        database.client.close()
        yield environment
    finally:
        objects.stop()
        mongo.stop()


@contextmanager
def _served(module: str, environment: dict[str, str], *, path: str = "/health") -> Iterator[Server]:
    (port,) = free_ports(1)
    process = subprocess.Popen([sys.executable, "-m", module, str(port)], env=os.environ | environment)
    url = f"http://{HOST}:{port}"
    try:
        deadline = time.monotonic() + START_SECONDS
        while not (is_ready(url) if path == "/health" else _answers(url + path)):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"expected {module} to answer at {url}, found nothing")
            time.sleep(0.1)
        yield Server(url=url, pid=process.pid)
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


def _routes(sizes: Sizes, bare: Server, ours: Server, environment: dict[str, str]) -> tuple[Table, Target]:
    job_id = _finished_job(ours.url, environment)
    requests = {
        "a bare function, GET": (bare, get("/")),
        "a bare function, POST": (bare, post("/", BODY)),
        "submit: POST /api/jobs": (ours, post("/api/jobs", BODY)),
        "status: GET /api/jobs/{id}": (ours, get(f"/api/jobs/{job_id}")),
        "list: GET /api/jobs": (ours, get("/api/jobs?limit=50")),
        "download: GET /api/jobs/{id}/files/{path}": (ours, get(f"/api/jobs/{job_id}/files/{FILE}")),
    }
    found: dict[str, list[Any]] = {name: [] for name in requests}
    for _ in range(sizes.rounds):
        for name, (server, request) in requests.items():
            done = load(server.url, request, seconds=sizes.seconds)
            if not done.statuses <= {200, 202, 302}:
                raise RuntimeError(f"{name}: expected 200, 202 or 302, found {sorted(done.statuses)}")
            found[name].append(done)
    rates = {name: median(done.rate for done in loads) for name, loads in found.items()}
    base = rates["a bare function, GET"]
    rows = []
    for name, loads in found.items():
        spread = Spread(values=[value for done in loads for value in done.spread.values])
        rows.append((name, round(rates[name]), round(rates[name] / base, 2), spread.p50, spread.p99))
    share = rates["submit: POST /api/jobs"] / rates["a bare function, POST"]
    table = Table(
        name="Answers per second, eight callers at once",
        head=("route", "answers/s", "× bare", "p50 ms", "p99 ms"),
        rows=rows,
        note="One process of the same server (gunicorn with threads) for both; a submit is on disk on a "
        "majority when it is answered, a list has 50 rows, a download is a redirect to a signed URL.",
        curve=Curve(file="api.png", over="route", values=("answers/s",), unit="answers per second"),
    )
    return table, at_least("submits per second beside a bare function's answers", share, SUBMIT_SHARE)


def _finished_job(url: str, environment: dict[str, str]) -> str:
    """Fifty jobs, and one of them with a file."""
    for _ in range(50):
        answer = httpx.post(f"{url}/api/jobs", json=BODY).raise_for_status().json()
    job_id = str(answer["job"]["job_id"])
    file = {
        "path": FILE,
        "key": f"jobs/{job_id}/{FILE}",
        "size": 1,
        "sha256": "",
        "media_type": "text/markdown",
    }
    database = connect(load_settings(environment).mongodb)
    database["jobs"].update_one({"_id": job_id}, {"$set": {"status": "completed", "files": [file]}})
    database.client.close()
    return job_id


def _waiters(sizes: Sizes, ours: Server) -> tuple[Table, Target]:
    job = httpx.post(f"{ours.url}/api/jobs", json=BODY).raise_for_status().json()["job"]
    request = get(f"/api/jobs/{job['job_id']}?wait={WAIT_SECONDS}&since={job['version']}")
    status = get(f"/api/jobs/{job['job_id']}")
    before = memory_mb(ours.pids)
    lines = [Line(ours.url) for _ in range(sizes.waiters)]
    for line in lines:
        line.send(request)
    time.sleep(4)  # until all of them sleep
    used, began = cpu_seconds(ours.pids), time.monotonic()
    beside = load(ours.url, status, seconds=3.0, connections=1).spread
    time.sleep(3)
    share = (cpu_seconds(ours.pids) - used) / (time.monotonic() - began)
    memory = memory_mb(ours.pids) - before
    changed = time.monotonic()
    httpx.put(f"{ours.url}/api/jobs/{job['job_id']}", json={"tags": ["changed"]}).raise_for_status()
    told: list[float] = []
    threads = [
        threading.Thread(target=lambda line=line: told.append(_answered(line, changed))) for line in lines
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spread = Spread(values=told)
    rows = [
        ("memory for each, kB", round(memory * 1024 / sizes.waiters)),
        ("memory of all, MB", round(memory)),
        ("CPU while they wait and one other asks, cores", round(share, 2)),
        ("that other's status read, p50 ms", beside.p50),
        ("from the change to the middle waiter's answer, ms", spread.p50),
        ("from the change to the last waiter's answer, ms", round(max(told))),
    ]
    table = Table(
        name=f"{sizes.waiters:,} callers that wait for one job (long-poll)",
        head=("", "figure"),
        rows=rows,
        note=f"`GET /api/jobs/{{id}}?wait={WAIT_SECONDS}` on one gateway process, as it is by default.",
    )
    return table, at_most(f"memory of {sizes.waiters:,} waiters", memory, 200, "MB")


def _answered(line: Line, since: float) -> float:
    status = line.read()
    line.close()
    if status != 200:
        raise RuntimeError(f"expected a waiter to be answered with 200, found {status}")
    return (time.monotonic() - since) * 1000
