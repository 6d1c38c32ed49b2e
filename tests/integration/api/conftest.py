"""A real MongoDB, a real object store and the gateway in front of all HTTP functions, once per run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from common.jobs.database import create_indexes
from common.jobs.store import Run
from common.objects import keys
from common.services import Services, build
from common.settings import load_settings
from infra.local import mongod, seaweed
from infra.local.ports import free_ports
from infra.local.process import Process
from infra.local.stack import is_ready

START_SECONDS = 60.0
WORKER = "test-worker"


@dataclass(frozen=True)
class Stack:
    """Where the gateway listens, and the same stores as it uses."""

    url: str
    services: Services
    environment: dict[str, str]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    home = tmp_path_factory.mktemp("stack")
    mongo_port, gateway_port, *others = free_ports(2 + len(seaweed.PORTS))
    ports = dict(zip(seaweed.PORTS, others, strict=True))
    secret = seaweed.credentials(home / "credentials.json")
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = inherited | {
        "MONGODB_URI": mongod.uri(mongo_port),
        "MONGODB_DB_NAME": "api",
        "S3_ENDPOINT_URL": seaweed.endpoint(ports),
        "AWS_ACCESS_KEY_ID": secret["access_key_id"],
        "AWS_SECRET_ACCESS_KEY": secret["secret_access_key"],
        "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
        "SECRETARY_HTTP__THREADS": "16",
    }
    processes = [
        Process(
            "mongod", mongod.command(home / "mongodb", mongo_port), mongod_environment(home, inherited),
            home / "mongod.log",
        ),
        Process("weed", seaweed.command(home / "weed", ports, secret), inherited, home / "weed.log"),
    ]  # fmt: skip
    gateway = [sys.executable, "-m", "infra.local.gateway", str(gateway_port)]
    processes.append(Process("gateway", gateway, environment, home / "gateway.log"))
    url = f"http://127.0.0.1:{gateway_port}"
    try:
        for process in processes[:2]:
            process.start()
        mongod.make_primary(mongo_port)
        services = build(load_settings(environment))
        create_indexes(services.database)
        wait_for(lambda: _bucket_is_there(services), "the object store", home)
        processes[2].start()
        wait_for(lambda: is_ready(url), "the gateway", home)
        yield Stack(url=url, services=services, environment=environment)
    finally:
        for process in reversed(processes):
            process.ask_to_stop()
        for process in reversed(processes):
            process.wait_or_kill(10)


def mongod_environment(home: Path, environment: dict[str, str]) -> dict[str, str]:
    libraries = mongod.library_path(home / "libraries")
    return environment | ({"LD_LIBRARY_PATH": libraries} if libraries else {})


def wait_for(check: Callable[[], bool], what: str, home: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not check():
        assert time.monotonic() < deadline, f"{what} did not start; see {home}"
        time.sleep(0.1)


def _bucket_is_there(services: Services) -> bool:
    from common.errors import SecretaryError

    try:
        services.objects.create_bucket()
        services.objects.put("ready", b"yes", "text/plain")
        services.objects.allow_origins(["*"])
    except SecretaryError:
        return False
    return True


@pytest.fixture
def api(stack: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=stack.url, timeout=40) as client:
        yield client


@pytest.fixture
def services(stack: Stack) -> Services:
    return stack.services


def pdf(number: int = 1, **more: object) -> dict[str, object]:
    return {"job_type": "pdf", "parameters": {"url": f"https://example.org/{number}.pdf"}, **more}


def finish(
    services: Services, job_id: str, *, markdown: str = "# Done", archive: bytes | None = None
) -> None:
    """Does what a worker does at the end of a job: results written once, bytes in the object store."""
    job = services.jobs.claim(job_id, WORKER)
    assert job is not None
    run = Run(job_id=job_id, attempt=job.attempt, worker_id=WORKER)
    text = services.objects.put(keys.result(job_id, job.attempt, "a.md"), markdown.encode(), "text/markdown")
    stored = None
    if archive is not None:
        key = keys.archive(job_id, job.attempt, "vault.zip")
        packed = services.objects.put(key, archive, "application/zip")
        stored = {"filename": "vault.zip", "key": key, "size": packed.size, "sha256": packed.sha256}
    results = {
        "markdown_file": "a.md", "page_texts": [], "assets": [], "target_dir": None, "metadata": {},
        "structured_data": {"topic": "tests"}, "texts": [], "warnings": [], "llm_requests": [],
        "is_from_cache": False, "archive": stored,
    }  # fmt: skip
    file = {"path": "a.md", "key": text.key, "size": text.size, "sha256": text.sha256,
            "media_type": "text/markdown; charset=utf-8"}  # fmt: skip
    done = {"step": "completed", "percent": 100, "message": "", "eta_seconds": None}
    assert services.jobs.complete(
        run, results=results, files=[file], cache_prefixes=[], progress=done, expires_after=None
    )
    close_batch(services, job.batch_id)


def fail(services: Services, job_id: str) -> None:
    job = services.jobs.claim(job_id, WORKER)
    assert job is not None
    run = Run(job_id=job_id, attempt=job.attempt, worker_id=WORKER)
    error = {"code": "DOWNLOAD_FAILED", "message": "The source answered 404.", "details": {}}
    assert services.jobs.fail(run, error=error, expires_after=None)
    close_batch(services, job.batch_id)


def close_batch(services: Services, batch_id: str | None) -> None:
    if batch_id:
        services.batches.close_if_done(batch_id)
