"""Schemathesis, all checks, against a running service: `python -m tests.security.fuzz.run URL SECONDS`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG = Path(__file__).with_name("schemathesis.toml")
ROOT = Path(__file__).parents[3]


def fuzz(url: str, *, seconds: int, examples: int) -> subprocess.CompletedProcess[str]:
    """Exit code 0 says that no check failed: every answer as specified, none of 500 or above."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(CONFIG),
        "run", f"{url}/api/openapi.json", "--checks", "all", "--phases", "examples,coverage,fuzzing",
        "--max-examples", str(examples), "--max-time", str(seconds), "--request-timeout", "60",
        "--continue-on-failure", "--no-color", "--generation-database", "none",
    ]  # fmt: skip
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:  # where it leaves what it remembers
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
            timeout=seconds + 120,
        )  # fmt: skip


if __name__ == "__main__":
    finished = fuzz(sys.argv[1], seconds=int(sys.argv[2]), examples=100)
    sys.stdout.write(finished.stdout)
    sys.exit(finished.returncode)
