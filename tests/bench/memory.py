"""Memory over many documents: one worker, and what it and its job process hold after each hundred."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.bench.figures import Curve, Part, Table, at_most
from tests.bench.growth import _run_batch
from tests.bench.papers import pdf_of
from tests.bench.processes import memory_mb
from tests.servers.stack import StackServer

TIMES = 1.2  # what the end may be of the state after warm-up


@dataclass(frozen=True, kw_only=True)
class Sizes:
    documents: int
    step: int


QUICK = Sizes(documents=60, step=20)
FULL = Sizes(documents=2_000, step=200)


def measure(sizes: Sizes) -> Part:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        papers = [pdf_of(folder / "papers" / f"{pages}.pdf", pages) for pages in (1, 2, 3)]
        environment = {
            "SECRETARY_FILES__ROOTS": str(folder / "papers"),
            "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT": "1",
            # Never replaced, so that a leak would show.
            "SECRETARY_JOBS__RECYCLE_AFTER_JOBS": str(sizes.documents * 10),
            "SECRETARY_LOGGING__LEVEL": "WARNING",
        }
        stack = StackServer(folder / "home", workers=1, environment=environment)
        stack.start()
        rows: list[tuple[int, float, float]] = []
        try:
            with stack.client() as client:
                for done in range(sizes.step, sizes.documents + 1, sizes.step):
                    for place, paper in enumerate(papers):
                        _run_batch(client, paper, sizes.step // 3 + (place < sizes.step % 3))
                    worker, child = stack.pids("infra.local.worker"), stack.pids("common.jobs.child")
                    rows.append((done, memory_mb(worker), memory_mb(child)))
        finally:
            stack.stop()
    table = Table(
        name="Memory after so many documents, MB",
        head=("documents", "worker", "its job process"),
        rows=rows,
        note="PDFs of one to three pages; the job process is never replaced here; by default, after 500.",
        curve=Curve(
            file="memory.png", over="documents", values=("worker", "its job process"), unit="MB", lines=True
        ),
    )
    first, last = sum(rows[0][1:]), sum(rows[-1][1:])
    target = at_most(f"memory after {sizes.documents:,} documents against {sizes.step}", last / first, TIMES)
    return Part(name="Memory", tables=(table,), targets=(target,))
