"""Starts the supervisor in a session of its own and waits until it says that it is ready."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from common.client.words import say
from infra.local.errors import StackError


def start_detached(
    home: Path, *, port: int, workers: int = 1, environment: Mapping[str, str] | None = None
) -> str:
    """The address of the service; what the supervisor says goes to its log."""
    (home / "logs").mkdir(parents=True, exist_ok=True)
    log = home / "logs" / "supervisor.log"
    command = [sys.executable, "-m", "common.client.command", "up", "--home", str(home.resolve())]
    with log.open("wb") as output:
        supervisor = subprocess.Popen(
            [*command, "--port", str(port), "--workers", str(workers)],
            env=os.environ if environment is None else environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    while supervisor.poll() is None:
        for line in log.read_text("utf-8").splitlines():
            if line.startswith("ready "):
                return line.removeprefix("ready ")
        time.sleep(0.1)
    raise StackError(log.read_text("utf-8").strip().removeprefix(say("error", message="")))
