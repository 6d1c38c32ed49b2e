"""The whole service as a user starts it: `secretary up` in a temporary home, on free ports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from infra.local.ports import HOST, free_ports
from infra.local.stack import READY_SECONDS

STOP_SECONDS = 60.0
LOOPBACK_ALLOWED = {"SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8"}


class StackServer:
    """One supervisor with all its processes. `environment` adds settings to those of the test run."""

    def __init__(self, home: Path, *, workers: int = 1, environment: Mapping[str, str] | None = None) -> None:
        (port,) = free_ports(1)
        self.home = home
        self.url = f"http://{HOST}:{port}"
        self.environment = dict(os.environ) | LOOPBACK_ALLOWED | dict(environment or {})
        self._options = ["--home", str(home), "--port", str(port), "--workers", str(workers)]
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when it says that it is ready."""
        self.home.mkdir(parents=True, exist_ok=True)
        log = self.home / "supervisor.log"
        command = [sys.executable, "-m", "common.client.command", "up", *self._options]
        with log.open("wb") as output:
            self._child = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        deadline = time.monotonic() + 2 * READY_SECONDS
        while b"ready " not in log.read_bytes():
            if self._child.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the stack did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """The object store is killed: asked to stop, it waits 15 seconds for itself."""
        if self._child is None:
            return
        stores = self.programs("weed")
        self._child.terminate()
        for pid in stores:
            os.kill(pid, signal.SIGKILL)
        try:
            self._child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60.0)

    def pids(self, module: str) -> list[int]:
        """The processes that now run this module, grandchildren included: a worker's children too."""
        return [pid for pid in _descendants(self._pid) if module in _command_line(pid)]

    def programs(self, name: str) -> list[int]:
        """The processes of a server that is not ours: mongod or weed."""
        return [pid for pid in _descendants(self._pid) if _command_line(pid)[0].endswith(f"/{name}")]

    @property
    def _pid(self) -> int:
        if self._child is None:
            raise RuntimeError("the stack has not been started")
        return self._child.pid


def _descendants(pid: int) -> list[int]:
    parents = {int(entry.name): _parent(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    found, level = [], [pid]
    while level:
        level = [child for child, parent in parents.items() if parent in level]
        found += level
    return found


def _parent(entry: Path) -> int | None:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it ended between the listing and the reading
        return None


def _command_line(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return [""]
