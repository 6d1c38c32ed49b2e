"""The command as a shell starts it, against the running service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[3] / "samples"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one line of JSON that it printed."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Command = Callable[..., Done]


def run(arguments: tuple[object, ...], environment: dict[str, str]) -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "common.client.command", *map(str, arguments)],
        env=os.environ | {"SECRETARY_LANGUAGE": "en"} | environment,
        capture_output=True, text=True, timeout=110,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def secretary(stack: StackServer) -> Command:
    def call(*arguments: object, **environment: str) -> Done:
        return run(arguments, {"SECRETARY_URL": stack.url, "SECRETARY_HOME": str(stack.home)} | environment)

    return call
