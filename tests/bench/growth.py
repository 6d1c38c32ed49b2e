"""Cost that grows no faster than the work: pages of a PDF, members of a batch, bytes of an archive."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.archive.entry import Entry
from common.archive.manifest import Origin
from common.archive.vault import vault
from common.client.convert import convert
from common.settings import load_settings
from tests.bench.figures import Curve, Part, Table, Target, at_most, numbers
from tests.bench.papers import pdf_of
from tests.bench.processes import run_apart
from tests.servers.stack import StackServer

MEGABYTE = 1024**2
PIECE = bytes(range(256)) * 4096  # of a megabyte
LINEAR = 1.5  # the cost of a unit may grow by this much
FLAT = 1.5


@dataclass(frozen=True, kw_only=True)
class Sizes:
    pages: tuple[int, ...]
    megabytes: tuple[int, ...]
    members: tuple[int, ...]
    workers: tuple[int, ...]
    documents: int  # for each number of workers


QUICK = Sizes(pages=(10, 100), megabytes=(1, 100), members=(10, 100, 1_000), workers=(1, 2), documents=6)
FULL = Sizes(
    pages=(1, 10, 100, 1_000), megabytes=(1, 10, 100, 2_048), members=(10, 100, 1_000, 10_000),
    workers=(1, 2, 4), documents=60,
)  # fmt: skip


def measure(sizes: Sizes) -> Part:
    pages, archives = _pages(sizes), _archives(sizes)
    members, workers = _members(sizes), _workers(sizes)
    return Part(
        name="Growing work",
        tables=(pages, archives, members, workers),
        targets=(
            *_per_page(pages),
            _ratio("memory of a PDF, longest against 10 pages", numbers(pages.column("memory MB"))[-2:], 3.0),
            _ratio(
                "memory of an archive, largest against smallest", numbers(archives.column("memory MB")), FLAT
            ),
            *_per_member(members),
        ),
    )


def _per_page(table: Table) -> Iterator[Target]:
    costs = numbers(table.column("CPU ms a page"))
    yield _ratio("CPU of a page, longest PDF against the one before", costs[-2:], LINEAR)


def _per_member(table: Table) -> Iterator[Target]:
    costs = numbers(table.column("ms a member"))
    yield _ratio("submit of a member, largest batch against the one before", costs[-2:], LINEAR)


def _ratio(what: str, values: list[float], bound: float) -> Target:
    return at_most(what, values[-1] / values[0], bound)


def _pages(sizes: Sizes) -> Table:
    rows = []
    for pages in sizes.pages:
        found = run_apart("tests.bench.growth", "pages", str(pages))
        rows.append((pages, round(found["cpu"], 3), round(found["cpu"] * 1000 / pages, 2), found["memory"]))
    return Table(
        name="A PDF of so many pages",
        head=("pages", "CPU s", "CPU ms a page", "memory MB"),
        rows=rows,
        note="`secretary convert` in a process of its own; memory is the most it held, import included.",
        curve=Curve(file="pages.png", over="pages", values=("CPU s",), unit="CPU seconds", lines=True),
    )


def _archives(sizes: Sizes) -> Table:
    rows = []
    for megabytes in sizes.megabytes:
        found = run_apart("tests.bench.growth", "archive", str(megabytes))
        rows.append((megabytes, round(found["cpu"], 2), found["memory"]))
    return Table(
        name="An archive of so many megabytes",
        head=("MB", "CPU s", "memory MB"),
        rows=rows,
        note="Files of a megabyte each, packed as a vault and thrown away.",
    )


def _members(sizes: Sizes) -> Table:
    body = {"job_type": "transformer", "parameters": {"text": "one", "template": "Session"}}
    rows = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        stack = StackServer(Path(folder), workers=0, environment={"SECRETARY_LOGGING__LEVEL": "WARNING"})
        stack.start()
        try:
            with stack.client() as client:
                client.post("/api/batches", json={"jobs": [body]}).raise_for_status()
                for members in sizes.members:
                    began = time.monotonic()
                    made = client.post("/api/batches", json={"jobs": [body] * members}, timeout=120)
                    submitted = time.monotonic() - began
                    batch_id = made.raise_for_status().json()["batch"]["batch_id"]
                    began = time.monotonic()
                    client.get(f"/api/batches/{batch_id}").raise_for_status()
                    read = time.monotonic() - began
                    rows.append(
                        (
                            members,
                            round(submitted * 1000),
                            round(submitted * 1000 / members, 3),
                            round(read * 1000, 1),
                        )
                    )
        finally:
            stack.stop()
    return Table(
        name="A batch of so many members",
        head=("members", "submit ms", "ms a member", "read ms"),
        rows=rows,
        curve=Curve(
            file="members.png", over="members", values=("submit ms", "read ms"), unit="ms", lines=True
        ),
    )


def _workers(sizes: Sizes) -> Table:
    """Documents of ten pages through the service, with one slot in each worker."""
    rows: list[tuple[Any, ...]] = []
    for workers in sizes.workers:
        seconds = _drain(workers, sizes.documents)
        rate = sizes.documents / seconds
        rows.append((workers, round(rate, 2), round(rate / (rows[0][1] if rows else rate), 2)))
    return Table(
        name=f"{sizes.documents} PDFs of ten pages with so many workers, on two cores",
        head=("workers", "documents/s", "× one worker"),
        rows=rows,
        note="Each document is another one, so that none comes from the cache.",
    )


def _drain(workers: int, documents: int) -> float:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        paper = pdf_of(folder / "papers" / "paper.pdf", 10)
        environment = {
            "SECRETARY_FILES__ROOTS": str(paper.parent),
            "SECRETARY_GENERIC_WORKER__MAX_CONCURRENT": "1",
            "SECRETARY_LOGGING__LEVEL": "WARNING",
        }
        stack = StackServer(folder / "home", workers=workers, environment=environment)
        stack.start()
        try:
            with stack.client() as client:
                _run_batch(client, paper, workers)  # warms every worker up
                began = time.monotonic()
                _run_batch(client, paper, documents)
                return time.monotonic() - began
        finally:
            stack.stop()


def _run_batch(client: Any, paper: Path, count: int) -> None:
    job = {"job_type": "pdf", "parameters": {"file_path": str(paper), "use_cache": False}}
    batch = client.post("/api/batches", json={"jobs": [job] * count}).raise_for_status().json()["batch"]
    while batch["status"] in ("pending", "processing"):
        waiting = {"wait": 20, "since": batch["version"]}
        batch = (
            client.get(f"/api/batches/{batch['batch_id']}", params=waiting).raise_for_status().json()["batch"]
        )
    if batch["status"] != "completed":
        raise RuntimeError(f"expected the batch to complete, found {batch['status']}")


def _convert_pages(pages: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paper = run_apart("tests.bench.growth", "paper", str(pages), str(folder / "paper.pdf"))["path"]
        began = time.process_time()
        done = convert(Path(paper), "paper", folder, {}, load_settings({}))
        if done.error or done.pages != pages:
            raise RuntimeError(f"expected {pages} pages, found {done.error or done.pages}")
        _tell(began)


def _pack(megabytes: int) -> None:
    import hashlib

    digest = hashlib.sha256(PIECE).hexdigest()
    entries = [
        Entry(path=f"files/{number:05}.png", size=len(PIECE), sha256=digest, open=lambda: iter((PIECE,)))
        for number in range(megabytes)
    ]
    began = time.process_time()
    size = sum(map(len, vault(entries, readme="bench", origin=Origin())))
    if size < megabytes * MEGABYTE:
        raise RuntimeError(f"expected at least {megabytes} MB, found {size} bytes")
    _tell(began)


def _tell(began: float) -> None:
    peak = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")
    )
    print(json.dumps({"cpu": time.process_time() - began, "memory": round(int(peak.split()[1]) / 1024)}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pages", count]:
            _convert_pages(int(count))
        case ["archive", count]:
            _pack(int(count))
        case ["paper", count, target]:
            print(json.dumps({"path": str(pdf_of(Path(target), int(count)))}))
