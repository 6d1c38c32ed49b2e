"""Submits jobs to the real stack, injects faults meanwhile, waits for quiet, and judges every job."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from pymongo.errors import PyMongoError

from tests.faults.callers import Acknowledged, submit_all
from tests.faults.injector import Injector
from tests.faults.stack import LEASE_SECONDS, FaultyStack, faulty_stack
from tests.faults.verdict import Verdict, judge, open_jobs

WORKERS = 2
QUIET_SECONDS = 90.0  # after the last fault everything must have ended by then
RECOVERY_SECONDS = LEASE_SECONDS + 5.0


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was done and what came of it."""

    jobs: int
    injected: dict[str, int]
    verdict: Verdict
    recoveries: list[float]
    seconds: float
    quiet_seconds: float

    @property
    def faults(self) -> int:
        return sum(self.injected.values())


def run(home: Path, *, jobs: int, faults: int, seed: int, pause: float) -> Report:
    with faulty_stack(home, workers=WORKERS) as stack:
        began = time.monotonic()
        injector = Injector(stack, random.Random(seed))
        known = _under_fire(stack, injector, jobs=jobs, faults=faults, seed=seed, pause=pause)
        calm = time.monotonic()
        _await_quiet(stack)
        quiet = time.monotonic() - calm
        return Report(
            jobs=len(known.jobs),
            injected=injector.injected,
            verdict=judge(stack, known),
            recoveries=sorted(injector.recoveries),
            seconds=time.monotonic() - began,
            quiet_seconds=quiet,
        )


def _under_fire(
    stack: FaultyStack, injector: Injector, *, jobs: int, faults: int, seed: int, pause: float
) -> Acknowledged:
    """Faults go on until all are injected; callers until all of theirs are acknowledged."""
    submitted: list[Acknowledged] = []
    callers = threading.Thread(target=lambda: submitted.append(submit_all(stack, jobs, seed)), daemon=True)
    callers.start()
    for _ in range(faults):
        time.sleep(injector.random.uniform(0, 2 * pause))
        stack.keep_workers()
        injector.inject()
    for watcher in injector.watchers:
        watcher.join()
    stack.keep_workers()
    callers.join()
    return submitted[0]


def _await_quiet(stack: FaultyStack) -> None:
    deadline = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < deadline:
        stack.keep_workers()
        try:
            if not open_jobs(stack) and not _open_batches(stack):
                return
        except PyMongoError:
            continue  # MongoDB is just coming back
        time.sleep(0.2)


def _open_batches(stack: FaultyStack) -> int:
    return stack.database["batches"].count_documents({"closed_at": None})
