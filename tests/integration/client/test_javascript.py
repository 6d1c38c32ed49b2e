"""The dashboard's JavaScript module, used by a program in Node against the running service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.client.conftest import SAMPLES
from tests.servers.front import Fault, Front
from tests.servers.stack import StackServer

MODULE = Path(__file__).parents[3] / "functions" / "monitor" / "dashboard" / "client.js"
HERE = Path(__file__).parent
NODE = shutil.which("node")
RUN_SECONDS = 110


@pytest.fixture
def module(tmp_path: Path) -> str:
    """Under a name by which Node knows that it is a module; browsers are told by the page."""
    if NODE is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Node is not installed")
    return str(shutil.copy(MODULE, tmp_path / "client.mjs"))


def run(*arguments: str) -> dict[str, Any]:
    done = subprocess.run([str(NODE), *arguments], capture_output=True, text=True, timeout=RUN_SECONDS)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_the_module_offers_what_the_service_does(module: str, stack: StackServer, papers: str) -> None:
    seen = run(str(HERE / "driver.mjs"), module, stack.url, papers, str(SAMPLES / "slides.pdf"))

    assert (seen["uploaded"], seen["status"], seen["lastState"]) == (1, "completed", "completed")
    assert (seen["archiveStart"], seen["fileStatus"], seen["sameJob"]) == ("PK", 200, True)
    assert seen["files"] > 0 and seen["logs"] > 0 and seen["templates"] > 0
    assert {"pdf", "session"} <= set(seen["types"])
    assert {"jobs", "tracks", "throughput"} <= set(seen["statistics"])
    assert (seen["deliveries"], seen["attempt"], seen["cancelled"]) == (0, 2, "cancelled")
    assert seen["gone"] == [True, "NOT_FOUND", 404]
    assert (seen["paused"], seen["batch"], seen["retried"], seen["listed"]) == (
        False,
        "partial",
        "partial",
        True,
    )
    assert seen["vault"] == [True, 200]
    assert seen["planned"] > 0


def test_the_module_offers_what_the_first_session_client_did(
    module: str, stack: StackServer, papers: str
) -> None:
    seen = run(str(HERE / "driver.mjs"), module, stack.url, papers, str(SAMPLES / "slides.pdf"))

    assert seen["told"] == [["sessionComplete", "session"], ["batchComplete", "batch"]]
    assert (seen["title"], seen["processed"], seen["active"]) == ("Keeping the Minutes", 2, 0)
    assert (seen["kept"], seen["ofTrack"], seen["ofOther"]) == (3, 3, 0)
    assert seen["missing"] == "DOWNLOAD_FAILED"
    assert (seen["archived"], seen["sessionArchive"]) == (3, 200)


@pytest.mark.parametrize("fault", [503, 429, "dropped", "unanswered"])
def test_the_module_tries_again_and_nothing_happens_twice(module: str, trouble: Front, fault: Fault) -> None:
    name = f"Hagebuttentee {trouble.address[-5:]} {fault}"
    trouble.trouble = [("PUT", fault), ("POST /api/jobs", fault), ("GET /api/jobs", fault)]

    seen = run(str(HERE / "retries.mjs"), module, trouble.address, name)

    assert seen["found"] == [seen["made"]]
    assert trouble.trouble == []
