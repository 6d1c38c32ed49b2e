"""The engine beside other job systems: `queue_peers.py` of the shared folder, with ours as one more peer.

Needs redis-server and PostgreSQL on the machine; the peers' packages live in an environment of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.figures import Curve, Part, Table, Target, at_least
from tests.bench.processes import ROOT
from tests.unit.shared_files import SHARED

SCRIPT = SHARED / "bench" / "queue_peers.py"
SERVERS = {"redis-server": ("rq", "rq-simple", "celery", "dramatiq"), "initdb": ("procrastinate",)}
COLUMNS = ("enqueue/s", "bulk/s", "end-to-end/s", "start p50 ms", "start p99 ms", "rerun s")
OURS = ("secretary", "secretary-sqs")
AHEAD_OF = ("rq", "procrastinate", "celery")


@dataclass(frozen=True, kw_only=True)
class Sizes:
    jobs: int
    peers: tuple[str, ...]
    rounds: int = 1
    cap_seconds: int = 30  # to wait for a job to be started again


QUICK = Sizes(jobs=300, peers=("secretary", "celery"), cap_seconds=15)
FULL = Sizes(
    jobs=1_000, peers=("secretary", "celery", "procrastinate", "rq", "dramatiq", "secretary-sqs"), rounds=2
)


def measure(sizes: Sizes) -> Part:
    if not SCRIPT.is_file():
        return Part(name="Engine", left_out="queue_peers.py is not on this machine")
    missing = {peer for program, peers in SERVERS.items() if not shutil.which(program) for peer in peers}
    peers = [peer for peer in sizes.peers if peer not in missing]
    runs = [_run(sizes, peers) for _ in range(sizes.rounds)]
    rows = [_middle([run[place] for run in runs]) for place in range(len(runs[0]))]
    failed = [f"{row['peer']} ({row['server']}): {row['error']}" for row in rows if "error" in row]
    left_out = "; ".join(
        [*(f"{peer}: its server is not installed" for peer in sorted(missing & set(sizes.peers))), *failed]
    )
    table = Table(
        name=f"A job that does nothing: {sizes.jobs:,} jobs, 2 workers with one slot each",
        head=("system", "server", *COLUMNS),
        rows=[(row["peer"], row["server"], *(row.get(column) for column in COLUMNS)) for row in rows],
        note="*durable*: an acknowledged job is on disk. Ours has no other mode, so both of its rows are "
        "durable. "
        "*end-to-end*: from the first of single submits until the last job has begun. *rerun*: seconds "
        "until a job is started again whose worker was killed (a lease of 10 s for all).",
        curve=Curve(file="engine.png", over="system", values=("end-to-end/s",), unit="jobs per second"),
    )
    return Part(name="Engine", tables=(table,), targets=tuple(_targets(rows)), left_out=left_out)


def _run(sizes: Sizes, peers: list[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        answer = Path(folder) / "peers.json"
        command = [
            sys.executable, str(SCRIPT), "--jobs", str(sizes.jobs), "--also", "tests.bench.engine",
            "--only", ",".join(peers), "--cap", str(sizes.cap_seconds), "--json", str(answer),
        ]  # fmt: skip
        environment = os.environ | {"PYTHONPATH": str(ROOT), "BENCH_PYTHON": sys.executable}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
        rows: list[dict[str, Any]] = json.loads(answer.read_text())["rows"]
        return rows


def _middle(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean of the runs where they have a number, else what the first one says."""
    found = dict(rows[0])
    for column in COLUMNS:
        values = [row[column] for row in rows if isinstance(row.get(column), int | float)]
        if values:
            found[column] = round(sum(values) / len(values), 1)
    return found


def _targets(rows: list[dict[str, Any]]) -> list[Target]:
    pace = {(row["peer"], row["server"]): row["end-to-end/s"] for row in rows if row.get("end-to-end/s")}
    ours = pace.get(("secretary", "durable"))
    return [
        at_least(f"jobs end to end beside durable {peer}", ours / pace[(peer, "durable")], 1.0)
        for peer in AHEAD_OF
        if ours and (peer, "durable") in pace
    ]
