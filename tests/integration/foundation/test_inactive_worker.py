"""`generic_worker.active: false`: jobs are taken in and wait; nothing here runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.servers.stack import StackServer

INACTIVE = {"SECRETARY_EVENT_WORKER__ACTIVE": "false"}


def test_an_inactive_worker_says_so_and_ends(environment: dict[str, str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "infra.local.worker"],
        env=dict(os.environ) | environment | INACTIVE,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "generic_worker.active is false" in ended.stderr


def test_the_stack_starts_no_workers_then(tmp_path: Path) -> None:
    server = StackServer(tmp_path / "home", environment=INACTIVE)
    server.start()
    try:
        assert server.pids("infra.local.worker") == []
        assert len(server.pids("infra.local.gateway")) == 1
        assert "generic_worker.active is false" in (server.home / "supervisor.log").read_text()
    finally:
        server.stop()
