"""Memory and processor time of processes, read from /proc."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")
MEGABYTE = 1024**2


def descendants(pid: int) -> list[int]:
    """All processes below this one, without itself."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, level = [], [pid]
    while level:
        level = [child for parent in level for child in parents.get(parent, [])]
        found += level
    return found


def running(module: str) -> list[int]:
    """Ours that run this module, with all below them."""
    own = [pid for pid in descendants(os.getpid()) if module in _command_line(pid)]
    return sorted({below for pid in own for below in (pid, *descendants(pid))})


def memory_mb(pids: list[int]) -> float:
    """Memory that belongs to these processes alone, so that what they share is not counted twice."""
    return round(sum(_private_bytes(pid) for pid in pids) / MEGABYTE, 1)


def cpu_seconds(pids: list[int]) -> float:
    return sum(int(fields[11]) + int(fields[12]) for pid in pids if (fields := _stat(pid))) / TICKS


def run_apart(module: str, *arguments: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    """The JSON line that a module prints, run in a process of its own."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | (environment or {}), check=True, stdout=subprocess.PIPE, text=True
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _stat(pid: int) -> list[str]:
    """The fields after the name; empty once it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _private_bytes(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in rollup if line.startswith("Private_"))


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
