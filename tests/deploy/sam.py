"""`python -m tests.deploy.sam`: `sam validate --lint` on both templates that can be deployed.

The program lives in an environment of its own, because its pins are not ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from infra.aws.authorizer import CHOICES, with_authorizer
from infra.aws.document import load
from infra.local.template import ROOT

VERSION = "1.170.0"
FOLDER = ROOT / ".cache" / "sam" / VERSION
OFFLINE = {"SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "eu-central-1"}


def install() -> Path:
    program = FOLDER / "bin" / "sam"
    if not program.exists():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, FOLDER], check=True)
        what = f"aws-sam-cli=={VERSION}"
        subprocess.run(
            [*uv, "pip", "install", "--quiet", "--python", FOLDER / "bin" / "python", what], check=True
        )
    return program


def main() -> None:
    program = install()
    with tempfile.TemporaryDirectory() as scratch:
        for choice in CHOICES:
            file = Path(scratch) / f"{choice}.json"
            file.write_text(json.dumps(with_authorizer(load(), choice)), "utf-8")
            command = [str(program), "validate", "--lint", "--template", str(file)]
            done = subprocess.run(command, env=dict(os.environ) | OFFLINE, check=False)
            if done.returncode:
                sys.exit(f"sam validate ended with {done.returncode} for authorizer {choice}")


if __name__ == "__main__":
    main()
