"""A stack for faults: short leases, the test job types, and workers that come back at once when killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pymongo.database import Database

from common.jobs.database import Document, connect
from common.objects.store import ObjectStore
from common.settings import load_settings
from tests.servers.job_types import FOLDER
from tests.servers.stack import StackServer

LEASE_SECONDS = 3.0
# As shipped, but in the time of a test.
SETTINGS = {
    "PYTHONPATH": str(FOLDER),
    "SECRETARY_JOBS__LEASE_SECONDS": str(LEASE_SECONDS),
    "SECRETARY_JOBS__HEARTBEAT_SECONDS": "1",
    "SECRETARY_JOBS__BACKOFF_SECONDS": "0.2",
    "SECRETARY_QUEUE__VISIBILITY_SECONDS": "3",
    "SECRETARY_SWEEP__INTERVAL_SECONDS": "1",
    "SECRETARY_SWEEP__RESEND_AFTER_SECONDS": "2",
    "SECRETARY_GENERIC_WORKER__POLL_INTERVAL_SEC": "1",
    "SECRETARY_JOBS__GRACE_SECONDS": "2",
}
WORKER = "infra.local.worker"
CHILD = "common.jobs.child"
GATEWAY = "infra.local.gateway"


class Worker(subprocess.Popen[bytes]):
    """One worker process, known by the name that it signs its leases with."""

    def __init__(self, name: str, environment: Mapping[str, str], output: IO[bytes]) -> None:
        self.name = name
        super().__init__(
            [sys.executable, "-m", WORKER, name],
            env=dict(environment), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip


class FaultyStack:
    """The stack's servers under their supervisor; the workers are ours, so that we choose when they end."""

    def __init__(self, home: Path, *, workers: int, settings: Mapping[str, str]) -> None:
        self.log = home / "jobs.log"
        environment = SETTINGS | dict(settings) | {"TEST_JOBS_LOG": str(self.log)}
        self.server = StackServer(home / "stack", workers=0, environment=environment)
        self._home = home
        self._count = workers
        self._started = 0
        self.workers: list[Worker] = []

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.touch()
        self.server.start()
        (gateway, *_) = self.server.pids(GATEWAY)
        pairs = Path(f"/proc/{gateway}/environ").read_text().split("\0")
        self.environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        options = load_settings(
            {name: value for name, value in self.environment.items() if name != "SECRETARY_HOME"}
        )
        self.database: Database[Document] = connect(options.mongodb)
        self.objects = ObjectStore(options.objects)
        self.keep_workers()

    def stop(self) -> None:
        for worker in self.workers:
            worker.send_signal(signal.SIGCONT)
            worker.kill()
            worker.wait()
        self.database.client.close()
        self.server.stop()

    def keep_workers(self) -> None:
        """Replaces those that have ended, as an orchestrator does."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < self._count:
            self._started += 1
            with (self._home / "workers.log").open("ab") as output:
                self.workers.append(Worker(f"worker-{self._started}", self.environment, output))

    def children(self) -> list[int]:
        """The processes in which jobs run."""
        return [pid for worker in self.workers for pid in _children_of(worker.pid)]

    def submit(
        self, job_type: str, *, marker: str = "", options: Document | None = None, **parameters: Any
    ) -> str:
        body = {"job_type": job_type, "parameters": {"marker": marker, **parameters}, **(options or {})}
        with self.server.client() as client:
            answer = client.post("/api/jobs", json=body).raise_for_status()
        job_id: str = answer.json()["job"]["job_id"]
        return job_id

    def job(self, job_id: str) -> Document:
        found = self.database["jobs"].find_one({"_id": job_id})
        assert found is not None, f"{job_id} is lost"
        return found

    def wait_for(self, what: Callable[[], Any], *, seconds: float = 60.0) -> Any:
        """What the condition gives once it holds."""
        deadline = time.monotonic() + seconds
        while not (found := what()):
            assert time.monotonic() < deadline, "it did not happen in time"
            time.sleep(0.05)
        return found

    def ended(self, job_id: str, *, seconds: float = 60.0) -> Document:
        def final() -> Document | None:
            job = self.job(job_id)
            return job if job["status"] in ("completed", "failed", "cancelled") else None

        found: Document = self.wait_for(final, seconds=seconds)
        return found

    def runs(self, marker: str) -> int:
        """How often a job with this marker began."""
        return sum(line.split()[-1:] == [marker] and not line.startswith("ended") for line in self.lines())

    def has_run(self, marker: str, times: int) -> bool:
        return self.runs(marker) == times

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()


@contextmanager
def faulty_stack(
    home: Path, *, workers: int = 1, settings: Mapping[str, str] | None = None
) -> Iterator[FaultyStack]:
    stack = FaultyStack(home, workers=workers, settings=settings or {})
    stack.start()
    try:
        yield stack
    finally:
        stack.stop()


def _children_of(pid: int) -> list[int]:
    """Of all its threads: each slot starts its own."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:
            continue  # the thread has ended
    return found


def end(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """A signal to a process that may have ended by itself."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
