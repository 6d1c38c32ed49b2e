"""The engine as a peer of `queue_peers.py`: the same no-op job, the same measures, a mongod of its own.

    PYTHONPATH=. python <shared>/bench/queue_peers.py --also tests.bench.engine --only secretary,celery,rq
    python -m tests.bench.engine        our own figures alone, and what a batch costs beside a bare insert

The measuring script runs the workers in the environment of the peers, which need not have our packages, so
`work` starts the interpreter that BENCH_PYTHON names, and `enqueue` speaks to a producer in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("BENCH_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
BATCH_JOBS = 1_000


class Peer(NamedTuple):
    """As queue_peers.py knows it."""

    enqueue: Callable[[float], Any]
    bulk: Callable[[int], Any]
    work: Callable[[], Any]


class Entry(NamedTuple):
    build: str
    server: Callable[[Path, bool], Any]


@contextmanager
def mongod(folder: Path, durable: bool) -> Iterator[str]:
    """Both rows are durable: we know no other way to say yes."""
    with subprocess.Popen(
        [PYTHON, "-m", "tests.bench.engine", "--serve", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()
        server.wait()


def build(url: str, lease: int) -> Peer:
    environment = _environment(url, lease)
    producer: list[subprocess.Popen[str]] = []

    def ask(**order: Any) -> None:
        if not producer:
            producer.append(
                subprocess.Popen(
                    [PYTHON, "-m", "tests.bench.engine", "--produce"], cwd=ROOT, env=environment,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                )
            )  # fmt: skip
        (process,) = producer
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(order) + "\n")
        process.stdout.readline()

    return Peer(
        enqueue=lambda seconds: ask(seconds=seconds),
        bulk=lambda count: ask(count=count),
        work=lambda: os.execve(  # noqa: S606 - as the measuring script starts its other workers
            PYTHON,
            [PYTHON, "-m", "infra.local.worker", f"bench-{os.getpid()}"],
            environment | {"PWD": str(ROOT)},
        ),
    )


@contextmanager
def with_sqs(folder: Path, durable: bool) -> Iterator[str]:
    """The same with LocalStack's SQS as its queue; the address names both."""
    with subprocess.Popen(
        [PYTHON, "-m", "tests.bench.engine", "--serve-sqs", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()
        server.wait()


PEERS = {
    "secretary": Entry("tests.bench.engine:build", mongod),
    "secretary-sqs": Entry("tests.bench.engine:build", with_sqs),
}


def _environment(url: str, lease: int) -> dict[str, str]:
    """One slot in each worker, as the peers have it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VIRTUAL_ENV")}
    leases = {
        "SECRETARY_JOBS__LEASE_SECONDS": str(lease),
        "SECRETARY_JOBS__HEARTBEAT_SECONDS": str(lease / 4),
        "SECRETARY_SWEEP__RESEND_AFTER_SECONDS": "2",
    }
    return kept | (leases if lease else {}) | _services(url) | {
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'bench' / 'job_type'}",
        "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT": "1",
        "SECRETARY_LOGGING__LEVEL": "WARNING",
    }  # fmt: skip


def _services(url: str) -> dict[str, str]:
    """An address is that of MongoDB, or the JSON of several settings."""
    named: dict[str, str] = json.loads(url) if url.startswith("{") else {"MONGODB_URI": url}
    return named


def serve_sqs(folder: Path) -> None:
    from tests.servers.localstack import LocalStackServer

    (folder / "localstack").mkdir()
    server = LocalStackServer(folder / "localstack")
    server.start()
    os.environ |= server.environment  # where the AWS library looks for its credentials
    try:
        serve(folder, server.environment | {"SECRETARY_QUEUE__ADAPTER": "sqs"})
    finally:
        server.stop()


def serve(folder: Path, more: dict[str, str] | None = None) -> None:
    """A mongod with our indexes, and the sweep, until the parent ends us."""
    import signal
    import threading

    from common.jobs.database import connect, create_indexes
    from common.jobs.sweep import sweep
    from common.services import build as build_services
    from common.settings import load_settings
    from tests.servers.mongo import MongoServer

    server = MongoServer(folder / "mongod")
    server.start()
    named = {"MONGODB_URI": server.uri} | (more or {})
    quiet = {"SECRETARY_SWEEP__RESEND_AFTER_SECONDS": "2", "SECRETARY_LOGGING__LEVEL": "WARNING"}
    options = load_settings(named | quiet)
    create_indexes(connect(options.mongodb))
    services = build_services(options)
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    print(json.dumps(named) if more else server.uri, flush=True)
    while not stopping.wait(1.0):
        sweep(services)
    services.close()
    server.stop()


def produce() -> None:
    """One job or batch for each line, acknowledged as to any caller."""
    from common.access import Caller
    from common.jobs.submit import submit_batch, submit_job
    from common.services import services

    provided, caller = services(), Caller(user_id="bench", is_admin=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "count" in order:
            jobs = [{"job_type": "bench"} for _ in range(order["count"])]
            for start in range(0, len(jobs), 10_000):
                submit_batch(provided, caller, {"jobs": jobs[start : start + 10_000]}, key=None)
        else:
            body = {"job_type": "bench", "parameters": {"seconds": order["seconds"]}}
            submit_job(provided, caller, body, key=None)
        print("ok", flush=True)


def compare_batch() -> None:
    """A batch of a thousand beside a bare `insert_many` of the same documents, in turn."""
    from common.access import Caller
    from common.jobs.database import connect, create_indexes
    from common.jobs.submit import submit_batch
    from common.services import build as build_services
    from common.settings import load_settings
    from tests.servers.mongo import MongoServer

    sys.path.insert(0, str(ROOT / "tests" / "bench" / "job_type"))
    with tempfile.TemporaryDirectory() as folder:
        server = MongoServer(Path(folder))
        server.start()
        options = load_settings({"MONGODB_URI": server.uri})
        database = connect(options.mongodb)
        create_indexes(database)
        services, caller = build_services(options), Caller(user_id="bench", is_admin=True)
        body = {"jobs": [{"job_type": "bench"} for _ in range(BATCH_JOBS)]}
        ours, bare = [], []
        for number in range(5):
            began = time.monotonic()
            submit_batch(services, caller, body, key=None)
            ours.append(time.monotonic() - began)
            documents = list(database["jobs"].find().limit(BATCH_JOBS))
            for place, document in enumerate(documents):
                document |= {"_id": f"bare-{number}-{place}", "job_id": f"bare-{number}-{place}"}
            began = time.monotonic()
            database["jobs"].insert_many(documents)
            bare.append(time.monotonic() - began)
        services.close()
        server.stop()
    mine, theirs = sorted(ours)[2], sorted(bare)[2]
    figures = f"{mine * 1000:.0f} ms; bare insert_many {theirs * 1000:.0f} ms; {mine / theirs:.2f} x"
    print(f"batch of {BATCH_JOBS}: {figures}")


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(Path(sys.argv[-1]))
    elif "--serve-sqs" in sys.argv:
        serve_sqs(Path(sys.argv[-1]))
    elif "--produce" in sys.argv:
        produce()
    else:
        compare_batch()
