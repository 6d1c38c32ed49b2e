"""The users of the harness: they submit jobs and batches, again and again until each is acknowledged."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.faults.stack import FaultyStack

ATTEMPTS = 10  # many, so that no job fails only because we killed it too often
TRY_AGAIN_SECONDS = 0.2


@dataclass
class Acknowledged:
    """What the service said yes to: job id to its marker, and the members of each batch."""

    jobs: dict[str, str] = field(default_factory=dict)
    batches: dict[str, list[str]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


def submit_all(stack: FaultyStack, jobs: int, seed: int) -> Acknowledged:
    """Half of them one by one, half in batches of ten; returns when all are acknowledged."""
    known = Acknowledged()
    singles, batches = jobs // 2, (jobs - jobs // 2) // 10
    rest = jobs - singles - batches * 10
    threads = [
        threading.Thread(target=_singles, args=(stack, known, singles + rest, seed), daemon=True),
        threading.Thread(target=_batches, args=(stack, known, batches, seed + 1), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return known


def _singles(stack: FaultyStack, known: Acknowledged, count: int, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(count):
        marker = f"single-{number}"
        answer = _insist(stack, "/api/jobs", _job(marker, chance), key=marker)
        with known.lock:
            known.jobs[answer["job"]["job_id"]] = marker


def _batches(stack: FaultyStack, known: Acknowledged, count: int, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(count):
        markers = [f"batch-{number}-{member}" for member in range(10)]
        body = {"jobs": [_job(marker, chance) for marker in markers]}
        data = _insist(stack, "/api/batches", body, key=f"batch-{number}")["data"]
        with known.lock:
            known.jobs |= dict(zip(data["job_ids"], markers, strict=True))
            known.batches[data["batch_id"]] = data["job_ids"]


def _job(marker: str, chance: random.Random) -> dict[str, Any]:
    kind, parameters = chance.choices(_KINDS, [8, 3, 2, 1])[0]
    lasting = {"seconds": round(chance.uniform(0.05, 0.4), 2)} if kind == "work" else {}
    return {
        "job_type": kind,
        "max_attempts": ATTEMPTS,
        "priority": chance.randint(0, 9),
        "parameters": {"marker": marker, **parameters, **lasting},
    }


_KINDS: Sequence[tuple[str, dict[str, Any]]] = (
    ("work", {}),
    ("noop", {}),
    ("pages", {"pages": 5, "seconds": 0.05}),
    ("fail", {"retryable": False}),
)


def _insist(stack: FaultyStack, path: str, body: dict[str, Any], *, key: str) -> dict[str, Any]:
    """The same key each time: a call whose answer was lost must not make a second job."""
    while True:
        try:
            answer = httpx.post(
                stack.server.url + path, json=body, headers={"Idempotency-Key": key}, timeout=10
            )
        except httpx.HTTPError:
            time.sleep(TRY_AGAIN_SECONDS)
            continue
        if answer.status_code < 500:
            said: dict[str, Any] = answer.raise_for_status().json()
            return said
        time.sleep(TRY_AGAIN_SECONDS)
