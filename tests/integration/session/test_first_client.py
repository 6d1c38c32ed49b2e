"""The documentation of the first client is a program: it must still run, word for word."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.processing.session.test_handler import PAGE, make_pdf
from tests.unit.shared_files import SHARED

SEED = SHARED / "seeds" / "000_722651cb7d90c306.txt"
DRIVER = Path(__file__).with_name("first_client.js")
NODE = shutil.which("node")
RUN_SECONDS = 110


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@pytest.mark.skipif(not SEED.is_file(), reason="the documentation of the first client is not here")
def test_the_code_of_the_first_client_runs_unchanged(stack: StackServer, tmp_path: Path) -> None:
    web = tmp_path / "site"
    page = web / "schedule" / "event" / "welcome"
    page.mkdir(parents=True)
    make_pdf(web / "slides.pdf", ["Welcome", "Thank you"])
    (page / "index.html").write_text(PAGE.format(more='<a href="/slides.pdf">Slides</a>'))
    blocks = tmp_path / "blocks.json"
    blocks.write_text(json.dumps(re.findall(r"```javascript\n(.*?)```", SEED.read_text("utf-8"), re.DOTALL)))
    with site(web) as address:
        done = subprocess.run(
            [str(NODE), str(DRIVER), str(blocks), stack.url, address],
            capture_output=True, text=True, timeout=RUN_SECONDS, env=os.environ | {"TMPDIR": str(tmp_path)},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["created"], found["status"]) == ("pending", "completed")
    assert (found["archive"], found["assets"], found["pages"]) == ("welcome_fosdem.zip", 2, 2)
    assert found["topic"] == "Main Track"
    assert found["archiveStart"] == "PK"
    assert (found["entry"], found["complete"]) == ("ai", True)  # 'main track' includes 'ai'
    assert found["batch"] == ["again.zip", "welcome.zip"]
    assert found["available"]["hasArchive"] is True and found["available"]["size"] > 0
    assert "404" in found["failure"]
    assert found["written"] == "welcome.zip"
    assert (tmp_path / "welcome.zip").read_bytes()[:2] == b"PK"
    assert found["told"] == ["updateUI", "updateSessionList", "updateBatchStatus"]
    assert found["kept"] == ["processedSessions"]
