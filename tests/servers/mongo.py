"""A real mongod that a test run starts, may stop and start again, and ends."""

from __future__ import annotations

import os
from pathlib import Path

from infra.local import mongod
from infra.local.ports import free_ports
from infra.local.process import Process

STOP_SECONDS = 20.0


class MongoServer:
    """A replica set of one in a folder of its own; keeps its port over a restart."""

    def __init__(self, folder: Path) -> None:
        (self._port,) = free_ports(1)
        environment = dict(os.environ)
        if libraries := mongod.library_path(folder / "libraries"):
            environment["LD_LIBRARY_PATH"] = libraries
        self._process = Process(
            "mongod", mongod.command(folder / "data", self._port), environment, folder / "log"
        )

    @property
    def uri(self) -> str:
        return mongod.uri(self._port)

    def start(self) -> None:
        self._process.start()
        mongod.make_primary(self._port)

    def stop(self) -> None:
        self._process.ask_to_stop()
        self._process.wait_or_kill(STOP_SECONDS)
