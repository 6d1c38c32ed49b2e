"""What the service costs around the work: one PDF through the whole stack, and the same conversion alone.

Both are warm: the conversion runs in a process that has run it before, as the worker's has.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx

from common.client.convert import convert
from common.settings import load_settings
from tests.bench.figures import Part, Spread, Table, at_most
from tests.bench.papers import pdf_of
from tests.servers.stack import StackServer

PAGES = 20
MOST_MS = 150.0


@dataclass(frozen=True, kw_only=True)
class Sizes:
    rounds: int
    pages: int = PAGES


QUICK = Sizes(rounds=8)
FULL = Sizes(rounds=40)


def measure(sizes: Sizes) -> Part:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        paper = pdf_of(folder / "papers" / "paper.pdf", sizes.pages)
        environment = {"SECRETARY_FILES__ROOTS": str(paper.parent), "SECRETARY_LOGGING__LEVEL": "WARNING"}
        stack = StackServer(folder / "home", workers=1, environment=environment)
        stack.start()
        try:
            with stack.client() as client:
                return _part(sizes, client, paper, folder / "converted")
        finally:
            stack.stop()


def _part(sizes: Sizes, client: httpx.Client, paper: Path, out: Path) -> Part:
    settings = load_settings({})
    out.mkdir()
    cached: list[float] = []
    served: list[float] = []
    converted: list[float] = []
    for number in range(sizes.rounds + 2):
        through = _milliseconds(lambda: _job(client, paper, use_cache=False))
        alone = _milliseconds(lambda: convert(paper, "paper", out, {}, settings))
        again = _milliseconds(lambda: _job(client, paper, use_cache=True))
        if number >= 2:  # the first ones warm up
            served.append(through)
            converted.append(alone)
            cached.append(again)
    extra = [through - alone for through, alone in zip(served, converted, strict=True)]
    rows = [
        (name, spread.p50, spread.p99)
        for name, values in {
            "through the service": served,
            "the conversion alone": converted,
            "the service around it": extra,
            "through the service, from the cache": cached,
        }.items()
        for spread in [Spread(values=values)]
    ]
    return Part(
        name="The service around the work",
        tables=(
            Table(
                name=f"A PDF of {sizes.pages} pages, submit to completed",
                head=("", "p50 ms", "p99 ms"),
                rows=rows,
                note="`POST /api/jobs`, then a long-poll until `completed`: gateway, MongoDB, queue, worker "
                "and object store. The conversion alone is what `secretary convert` does, in a warm process.",
            ),
        ),
        targets=(at_most("the service around one PDF job, median", median(extra), MOST_MS, "ms"),),
    )


def _job(client: httpx.Client, paper: Path, *, use_cache: bool) -> None:
    parameters = {"file_path": str(paper), "use_cache": use_cache}
    answer = client.post("/api/jobs", json={"job_type": "pdf", "parameters": parameters})
    answer.raise_for_status()
    job = answer.json()["job"]
    while job["status"] not in ("completed", "failed"):
        waiting = {"wait": 20, "since": job["version"]}
        job = client.get(f"/api/jobs/{job['job_id']}", params=waiting).raise_for_status().json()["job"]
    if job["status"] != "completed":
        raise RuntimeError(f"expected the job to complete, found {job['error']}")


def _milliseconds(act: object) -> float:
    began = time.monotonic()
    act()  # type: ignore[operator]
    return (time.monotonic() - began) * 1000
