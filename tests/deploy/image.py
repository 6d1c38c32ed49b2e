"""`python -m tests.deploy.image`: builds the image on a Debian made here, without any registry, processes
a job inside it and runs the acceptance suite against a service of it. Needs root, buildah and debootstrap;
takes minutes, so it is no part of the quick suite."""

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
        assert not {"pypdfium2", "pillow", "openai", "tesserocr"} & names
        assert "pypdfium2" in HEAVY, "the two lists speak of the same libraries"
    else:
        assert {"pypdfium2", "lxml", "pillow", "openai", "tesserocr"} <= names
    assert buildah.inside(container, "id", "-u") == "10001"
    assert buildah.inside(container, "ls", "/opt/extensions") == "lambda-adapter"
    buildah("rm", container)


def unpacked_bytes(root: Path) -> int:
    found = subprocess.run(["du", "-sxb", str(root)], stdout=subprocess.PIPE, text=True, check=True)
    return int(found.stdout.split()[0])


@contextlib.contextmanager
def data_servers(folder: Path) -> Iterator[dict[str, str]]:
    """MongoDB and objects beside the containers, and the settings that lead to them."""
    mongo, objects = MongoServer(folder / "mongod"), SeaweedServer(folder / "seaweedfs")
    with contextlib.ExitStack() as stack:
        for server in (mongo, objects):
            server.start()
            stack.callback(server.stop)
        yield objects.environment | {
            "MONGODB_URI": mongo.uri,
            "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
            "SECRETARY_ACCESS__MODE": "api_key",
        }


def new_key(environment: dict[str, str]) -> str:
    command = [str(Path(sys.executable).with_name("secretary")), "keys", "create", "acceptance"]
    done = subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.strip()


def process_one_job(buildah: Buildah, environment: dict[str, str], key: str) -> None:
    """Handed to enqueue of the api image, run by the worker image, read from status of the api image."""
    enqueue, status = free_ports(2)
    with contextlib.ExitStack() as stack:
        api, worker = (buildah("from", f"localhost/secretary-{target}") for target in ("api", "worker"))
        for name, port in (("enqueue", enqueue), ("status", status)):
            served_there = environment | {"FUNCTION_TARGET": name, "PORT": str(port)}
            stack.enter_context(buildah.running(api, "serve", served_there))
        stack.enter_context(buildah.running(worker, "worker", environment))
        client = stack.enter_context(httpx.Client(headers={"X-API-Key": key}, timeout=40))
        for port in (enqueue, status):
            await_answer(client, f"http://127.0.0.1:{port}/")
        url = f"{stack.enter_context(site(SAMPLE.parent))}/{SAMPLE.name}"
        job_id = submit(client, f"http://127.0.0.1:{enqueue}/api/jobs", url)
        job = wait_for(client, f"http://127.0.0.1:{status}/api/jobs/{job_id}")
        assert job["status"] == "completed", job["error"]
        assert job["results"]["archive_size"] > 0
        say(f"job {job_id} completed inside, archive of {job['results']['archive_size']} bytes")
        buildah.inside(api, "env", f"PORT={enqueue}", "python", "-m", "infra.container.health")
        say("the health check passes")


def refuse_the_open_mode(buildah: Buildah) -> None:
    """Whoever reaches a container's port would be its administrator."""
    (port,) = free_ports(1)
    api, given = buildah("from", "localhost/secretary-api"), {"FUNCTION_TARGET": "status", "PORT": str(port)}
    with buildah.running(api, "serve", given), httpx.Client() as client:
        address = f"http://127.0.0.1:{port}/api/jobs"
        await_answer(client, address)
        assert client.get(address).status_code == 500
    say("a container whose access mode nobody chose answers no one")


def accept(buildah: Buildah, environment: dict[str, str], key: str) -> None:
    """The suite every stack passes, against gateway, worker and timer of the image."""
    (port,) = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    container = buildah("from", "localhost/secretary-worker")
    with contextlib.ExitStack() as stack:
        for role in ("gateway", "worker", "timer"):
            stack.enter_context(buildah.running(container, role, environment | {"PORT": str(port)}))
        client = stack.enter_context(httpx.Client())
        await_answer(client, f"{address}/ready")
        suite = [sys.executable, "-m", "pytest", "--quiet", "tests/acceptance"]
        given = {"SECRETARY_URL": address, "SECRETARY_API_KEY": key}
        subprocess.run(suite, cwd=ROOT, env=os.environ | given, check=True)
    say("the acceptance suite passes against the image")


def await_answer(client: httpx.Client, url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            client.get(url)
        except httpx.ConnectError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


def submit(client: httpx.Client, url: str, source: str) -> str:
    answer = client.post(url, json={"job_type": "pdf", "parameters": {"url": source}})
    assert answer.status_code == 202, answer.text
    job_id: str = answer.json()["job"]["job_id"]
    return job_id


def wait_for(client: httpx.Client, url: str) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while True:
        job: dict[str, Any] = client.get(f"{url}?wait=10").json()["job"]
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
    with (
        tempfile.TemporaryDirectory(prefix="secretary-image-") as scratch,
        data_servers(Path(scratch)) as environment,
    ):
        create_indexes(connect(load_settings(environment).mongodb))
        key = new_key(environment)
        process_one_job(buildah, environment, key)
        accept(buildah, environment, key)
    refuse_the_open_mode(buildah)
    buildah("rm", "--all")


if __name__ == "__main__":
    main()
