"""A real SeaweedFS with one bucket, for tests that store bytes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from common.errors import SecretaryError
from common.objects.store import ObjectStore
from common.settings import load_settings
from infra.local import seaweed
from infra.local.ports import free_ports
from infra.local.process import Process

START_SECONDS = 60.0


class SeaweedServer:
    """An S3 endpoint in a folder of its own; keeps its ports over a restart."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        ports = dict(zip(seaweed.PORTS, free_ports(len(seaweed.PORTS)), strict=True))
        secret = seaweed.credentials(folder / "credentials.json")
        self._process = Process(
            "seaweedfs", seaweed.command(folder / "data", ports, secret), os.environ, folder / "log"
        )
        self.environment = {
            "S3_ENDPOINT_URL": seaweed.endpoint(ports),
            "AWS_ACCESS_KEY_ID": secret["access_key_id"],
            "AWS_SECRET_ACCESS_KEY": secret["secret_access_key"],
        }

    def start(self) -> None:
        """Returns when it has taken an object."""
        self._process.start()
        objects = ObjectStore(load_settings(self.environment).objects)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                objects.create_bucket()
                objects.put("ready", b"yes", "text/plain")
            except SecretaryError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """Killed: asked to stop, it would wait for its clients' idle connections."""
        self._process.wait_or_kill(0)
