"""The gateway with all HTTP functions as a process of its own, in front of servers that already run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from infra.local.ports import HOST, free_ports
from infra.local.process import Process
from infra.local.stack import READY_SECONDS, is_ready

STOP_SECONDS = 10.0


@contextmanager
def gateway(environment: Mapping[str, str], log: Path) -> Iterator[str]:
    """Its address, once it is ready."""
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "infra.local.gateway", str(port)]
    process = Process("gateway", command, dict(os.environ) | dict(environment), log)
    url = f"http://{HOST}:{port}"
    process.start()
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not is_ready(url):
            if process.has_ended() or time.monotonic() > deadline:
                raise RuntimeError(f"the gateway did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
            time.sleep(0.1)
        yield url
    finally:
        process.ask_to_stop()
        process.wait_or_kill(STOP_SECONDS)
