"""Everything the README shows is run here, in its order, on a port and in a home of the test's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from infra.local.ports import free_ports

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.timeout(400)
@pytest.mark.skipif(not (ROOT / ".venv").exists(), reason="make creates the .venv that the README uses")
def test_the_readme_is_true(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    blocks = [block.replace(":8000", f":{port}") for block in BLOCK.findall((ROOT / "README.md").read_text())]
    environment = os.environ | {"SECRETARY_HOME": str(tmp_path / "home"), "SECRETARY_PORT": str(port)}

    try:
        script = "set -euo pipefail\n" + "\n".join(blocks)
        done = subprocess.run(
            ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=390
        )
    finally:
        subprocess.run(["make", "down"], cwd=ROOT, env=environment, capture_output=True, timeout=90)

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"ready http://127.0.0.1:{port}" in done.stdout
    assert f"http://127.0.0.1:{port}/monitoring/events" in done.stdout
    assert '"status":"completed"' in done.stdout
    assert zipfile.ZipFile(ROOT / "out" / "report.zip").testzip() is None
    assert list((ROOT / "out" / "demo").rglob("sessions/*/*/*/keeping-the-minutes.md"))
    assert list((ROOT / "out" / "run").rglob("*.md"))
    converted = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"input"')]
    assert [line["error"] for line in converted[-2:]] == [None, None]
