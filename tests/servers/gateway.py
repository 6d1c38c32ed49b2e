"""The gateway with all HTTP functions in front of given servers: no worker, no timer."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from infra.local.ports import HOST, free_ports
from infra.local.process import Process
from infra.local.stack import is_ready

START_SECONDS = 60.0


class GatewayServer:
    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        (port,) = free_ports(1)
        self.url = f"http://{HOST}:{port}"
        self.environment = dict(environment)
        self._log = folder / "gateway.log"
        command = [sys.executable, "-m", "infra.local.gateway", str(port)]
        self._process = Process("gateway", command, dict(os.environ) | self.environment, self._log)

    def start(self) -> None:
        self._process.start()
        deadline = time.monotonic() + START_SECONDS
        while not is_ready(self.url):
            assert time.monotonic() < deadline, f"the gateway did not start: {self._log.read_text()[-2000:]}"
            time.sleep(0.1)

    def stop(self) -> None:
        self._process.ask_to_stop()
        self._process.wait_or_kill(10)


@contextmanager
def gateway(environment: Mapping[str, str], folder: Path) -> Iterator[str]:
    """The address of one that runs as long as the block."""
    server = GatewayServer(folder, environment)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
