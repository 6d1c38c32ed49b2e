"""`python -m tests.deploy.image`: builds the image on a Debian made here, without any registry, and processes
a job inside it. Needs root, buildah and debootstrap; takes minutes, so it is no part of the quick suite."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from common.jobs.database import connect, create_indexes
from common.settings import load_settings
from infra.local.ports import free_ports
from infra.local.template import ROOT
from tests.deploy.test_cold_start import HEAVY
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer
from tests.servers.site import site

SUITE = "bookworm"
SUITE_PYTHON = "3.11.2"
BASE = "localhost/secretary-base"
ADAPTER = "localhost/secretary-adapter"
API_LIMIT_BYTES = 250 * 1000**2
BUILD_TOOLS = ("hatchling", "pip", "setuptools")
UNUSED = ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale")
SAMPLE = ROOT / "samples" / "report.pdf"


class Buildah:
    """buildah with a storage of its own, so that nothing of the machine is used or changed."""

    def __init__(self, folder: Path) -> None:
        self._command = [
            "buildah", "--storage-driver", "vfs",
            "--root", str(folder / "storage"), "--runroot", str(folder / "run"),
        ]  # fmt: skip

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run([*self._command, *arguments], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"buildah {arguments[0]} ended with {done.returncode}")
        return done.stdout.strip()

    @contextlib.contextmanager
    def running(self, container: str, role: str, environment: dict[str, str]) -> Iterator[None]:
        """The image's entry point until the block ends."""
        given = [f"--env={name}={value}" for name, value in environment.items()]
        command = [*self._command, "run", "--isolation", "chroot", *given, container, "--", "/entrypoint.sh"]
        child = subprocess.Popen([*command, role], start_new_session=True)
        try:
            yield
        finally:
            os.killpg(child.pid, signal.SIGTERM)
            child.wait(30)

    def inside(self, container: str, *command: str) -> str:
        return self("run", "--isolation", "chroot", container, "--", *command)


def debian(folder: Path) -> Path:
    """A small Debian with Python, made once."""
    archive = folder / "base.tar"
    if not archive.exists():
        root = folder / "base"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", "--include=python3,python3-venv", SUITE, str(root)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        for name in UNUSED:
            shutil.rmtree(root / name, ignore_errors=True)
        subprocess.run(["tar", "--create", "--file", str(archive), "--directory", str(root), "."], check=True)
        shutil.rmtree(root)
    return archive


def wheels(folder: Path) -> Path:
    """Everything that pip will want during the build; inside, it has no network."""
    target = folder / "wheels"
    common = ["--quiet", "--only-binary=:all:", "--python-version", SUITE_PYTHON, "--dest", str(target)]
    pip = [sys.executable, "-m", "pip", "download"]
    pinned = ["--constraint", "constraints.txt"]
    subprocess.run([*pip, *common, *pinned, ".[worker]"], cwd=ROOT, check=True)
    subprocess.run([*pip, *common, *BUILD_TOOLS], cwd=ROOT, check=True)
    return target


def image_of(buildah: Buildah, name: str, content: Path) -> None:
    container = buildah("from", "scratch")
    buildah("add", container, str(content), "/")
    buildah("commit", "--quiet", "--rm", container, name)


def build(buildah: Buildah, folder: Path) -> None:
    image_of(buildah, BASE, debian(folder))
    adapter = folder / "lambda-adapter"  # stands in for the program that only AWS publishes
    adapter.write_text("#!/bin/sh\nexit 0\n")
    adapter.chmod(0o755)
    image_of(buildah, ADAPTER, adapter)
    config = folder / "pip.conf"
    config.write_text("[global]\nno-index = true\nfind-links = /wheels\n")
    found = wheels(folder)
    for target in ("api", "worker"):
        buildah(
            "bud", "--quiet", "--format", "docker", "--isolation", "chroot",
            "--file", str(ROOT / "infra/container/Dockerfile"),
            "--build-arg", f"BASE_IMAGE={BASE}", "--build-arg", f"LAMBDA_ADAPTER={ADAPTER}",
            "--build-arg", "WORKER_PACKAGES=",
            "--secret", f"id=pip,src={config}", "--volume", f"{found}:/wheels:ro",
            "--target", target, "--tag", f"secretary-{target}", str(ROOT),
        )  # fmt: skip


def inspect(buildah: Buildah, target: str) -> None:
    """Size, user and contents, as the Dockerfile promises them."""
    (image,) = json.loads(buildah("images", "--json", f"localhost/secretary-{target}"))
    config = json.loads(buildah("inspect", "--type", "image", f"localhost/secretary-{target}"))
    settings = config["OCIv1"]["config"]
    say(f"{target}: {image['size']}, starts {settings['Entrypoint']} {settings['Cmd']}")
    assert settings["User"] == "10001:10001"
    container = buildah("from", f"localhost/secretary-{target}")
    size = unpacked_bytes(Path(buildah("mount", container)))
    say(f"{target}: {size / 1000**2:.0f} MB unpacked")
    bill = json.loads(buildah.inside(container, "cat", "/opt/secretary/sbom.json"))
    names = {item["name"].lower() for item in bill["components"]}
    say(f"{target}: {len(names)} packages in its bill of materials")
    if target == "api":
        assert size <= API_LIMIT_BYTES, size
        assert not {"pypdfium2", "lxml", "pillow", "openai", "tesserocr"} & names
        assert "pypdfium2" in HEAVY, "the two lists speak of the same libraries"
    else:
        assert {"pypdfium2", "lxml", "pillow", "openai", "tesserocr"} <= names
    assert buildah.inside(container, "id", "-u") == "10001"
    assert buildah.inside(container, "ls", "/opt/extensions") == "lambda-adapter"
    buildah("rm", container)


def unpacked_bytes(root: Path) -> int:
    found = subprocess.run(["du", "-sxb", str(root)], stdout=subprocess.PIPE, text=True, check=True)
    return int(found.stdout.split()[0])


def process_one_job(buildah: Buildah, folder: Path) -> None:
    """Handed to enqueue of the api image, run by the worker image, read from status of the api image."""
    mongo, objects = MongoServer(folder / "mongod"), SeaweedServer(folder / "seaweedfs")
    ports = free_ports(2)
    with contextlib.ExitStack() as stack:
        for server in (mongo, objects):
            server.start()
            stack.callback(server.stop)
        environment = objects.environment | {
            "MONGODB_URI": mongo.uri, "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
        }  # fmt: skip
        create_indexes(connect(load_settings(environment).mongodb))
        api, worker = (buildah("from", f"localhost/secretary-{target}") for target in ("api", "worker"))
        for name, port in zip(("enqueue", "status"), ports, strict=True):
            served_there = environment | {"FUNCTION_TARGET": name, "PORT": str(port)}
            stack.enter_context(buildah.running(api, "serve", served_there))
        stack.enter_context(buildah.running(worker, "worker", environment))
        url = f"{stack.enter_context(site(SAMPLE.parent))}/{SAMPLE.name}"
        job_id = submit(f"http://127.0.0.1:{ports[0]}", url)
        job = wait_for(f"http://127.0.0.1:{ports[1]}/api/jobs/{job_id}")
        assert job["status"] == "completed", job["error"]
        assert job["results"]["archive_size"] > 0
        say(f"job {job_id} completed inside, archive of {job['results']['archive_size']} bytes")
        probe = [f"PORT={ports[0]}", "python", "-m", "infra.container.health"]
        buildah.inside(api, "env", *probe)
        say("the health check passes")


def submit(url: str, source: str) -> str:
    body = {"job_type": "pdf", "parameters": {"url": source}}
    deadline = time.monotonic() + 60
    while True:
        try:
            answer = httpx.post(f"{url}/api/jobs", json=body, timeout=30)
        except httpx.ConnectError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
            continue
        assert answer.status_code == 202, answer.text
        job_id: str = answer.json()["job"]["job_id"]
        return job_id


def wait_for(url: str) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while True:
        job: dict[str, Any] = httpx.get(f"{url}?wait=10", timeout=40).json()["job"]
        if job["status"] in ("completed", "failed") or time.monotonic() > deadline:
            return job


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    missing = [name for name in ("buildah", "debootstrap") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        sys.exit(f"Expected root and buildah and debootstrap; missing: {', '.join(missing) or 'root'}.")
    folder = ROOT / "out" / "image"
    folder.mkdir(parents=True, exist_ok=True)
    buildah = Buildah(folder)
    build(buildah, folder)
    for target in ("api", "worker"):
        inspect(buildah, target)
    with tempfile.TemporaryDirectory(prefix="secretary-image-") as scratch:
        process_one_job(buildah, Path(scratch))
    buildah("rm", "--all")


if __name__ == "__main__":
    main()
