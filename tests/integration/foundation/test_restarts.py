"""What is killed comes back, and nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.servers.site import site
from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[3] / "samples"
FINAL = ("completed", "failed", "cancelled")
# Leases short enough for a test; all else is as it is shipped.
SHORT_LEASES = {
    "SECRETARY_JOBS__LEASE_SECONDS": "3",
    "SECRETARY_JOBS__HEARTBEAT_SECONDS": "1",
    "SECRETARY_SWEEP__INTERVAL_SECONDS": "1",
    "SECRETARY_SWEEP__RESEND_AFTER_SECONDS": "2",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StackServer]:
    made = StackServer(tmp_path / "home", environment=SHORT_LEASES)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def address() -> Iterator[str]:
    with site(SAMPLES) as found:
        yield found


def submit(api: httpx.Client, url: str, **options: object) -> str:
    body = {"job_type": "pdf", "parameters": {"url": url, "include_images": True, "use_cache": False}}
    job_id: str = api.post("/api/jobs", json=body | options).raise_for_status().json()["job"]["job_id"]
    return job_id


def until(condition: Callable[[], object], *, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def state(server: StackServer) -> dict[str, int]:
    found: dict[str, int] = json.loads((server.home / "state.json").read_text())["processes"]
    return found


def test_a_killed_worker_costs_an_attempt_and_not_the_job(server: StackServer, address: str) -> None:
    with server.client() as api:
        job_id = submit(api, f"{address}/slides.pdf")

        def read() -> dict[str, object]:
            job: dict[str, object] = api.get(f"/api/jobs/{job_id}").json()["job"]
            return job

        until(lambda: read()["status"] != "pending")
        os.kill(state(server)["worker-1"], signal.SIGKILL)
        until(lambda: read()["status"] in FINAL)

        assert read()["status"] == "completed"
        assert api.get(f"/api/jobs/{job_id}/download-archive").status_code == 302


def test_after_kill_9_of_everything_all_acknowledged_jobs_are_there(
    server: StackServer, address: str
) -> None:
    with server.client() as api:
        ids = [submit(api, f"{address}/report.pdf") for _ in range(10)]
        processes = state(server)
        supervisor = json.loads((server.home / "state.json").read_text())["pid"]
        for pid in (processes["mongod"], processes["seaweedfs"], supervisor):
            os.kill(pid, signal.SIGKILL)
    server.stop()

    server.start()

    with server.client() as api:
        until(lambda: all(api.get(f"/api/jobs/{one}").json()["job"]["status"] in FINAL for one in ids))
        jobs = [api.get(f"/api/jobs/{one}").json()["job"] for one in ids]
    assert [job["status"] for job in jobs] == ["completed"] * len(ids)


def test_mongod_and_the_store_are_restarted_while_it_runs(server: StackServer, address: str) -> None:
    with server.client() as api:
        before = submit(api, f"{address}/report.pdf")
        killed = {name: state(server)[name] for name in ("mongod", "seaweedfs")}
        for pid in killed.values():
            os.kill(pid, signal.SIGKILL)
        until(lambda: not killed.items() & state(server).items())
        until(lambda: api.get("/ready").status_code == 200)

        after = submit(api, f"{address}/slides.pdf")
        until(lambda: api.get(f"/api/jobs/{after}").json()["job"]["status"] == "completed")
        until(lambda: api.get(f"/api/jobs/{before}").json()["job"]["status"] == "completed")


def test_a_second_up_on_the_same_home_is_told_so(server: StackServer) -> None:
    command = [sys.executable, "-m", "common.client.command", "up", "--home", str(server.home)]
    second = subprocess.run([*command, "--port", "1"], capture_output=True, text=True, timeout=60)

    assert second.returncode == 1
    assert f"already runs in {server.home} at {server.url}" in second.stderr
    with server.client() as api:
        assert api.get("/ready").status_code == 200


def test_down_stops_everything_that_up_started(server: StackServer) -> None:
    pids = [*state(server).values()]

    command = [sys.executable, "-m", "common.client.command", "down", "--home", str(server.home)]
    subprocess.run(command, check=True, timeout=90)

    until(lambda: not any(is_alive(pid) for pid in pids), seconds=10)
    assert subprocess.run(command, check=True, capture_output=True, timeout=90).returncode == 0


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
