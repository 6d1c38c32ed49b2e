"""LocalStack with SQS and S3, in an environment of its own: its pins are not ours.

`python -m tests.servers.localstack` installs it ahead of a test run.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from localstack_client.session import Session

from infra.local.ports import HOST, free_ports
from infra.local.process import Process

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

VERSION = "4.12.0"
PUBLISHED_BEFORE = "2025-12-31"  # its own dependencies have moved on since
FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "localstack" / VERSION
INSTALL_SECONDS = 600.0
START_SECONDS = 60.0
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


class LocalStackMissing(Exception):
    """Raised when LocalStack is not installed and cannot be."""


def install() -> Path:
    """The Python that can run it; made once, under a lock, and kept in .cache."""
    python, complete = FOLDER / "venv" / "bin" / "python", FOLDER / "complete"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            uv = [sys.executable, "-m", "uv"]
            _run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(FOLDER / "venv")])
            what = [f"localstack-core[base-runtime,runtime]=={VERSION}", "service-identity"]
            _run([*uv, "pip", "install", "--quiet", "--python", str(python),
                  "--exclude-newer", PUBLISHED_BEFORE, *what])  # fmt: skip
            complete.touch()
    return python


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise LocalStackMissing(f"its installation took more than {INSTALL_SECONDS:.0f} seconds") from None
    except subprocess.CalledProcessError as error:
        raise LocalStackMissing(error.stderr.decode(errors="replace").strip()[-500:]) from None


class LocalStackServer:
    """Forgets everything when it stops."""

    def __init__(self, folder: Path) -> None:
        (port,) = free_ports(1)
        self._address = f"{HOST}:{port}"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment |= {
            "GATEWAY_LISTEN": self._address,
            "LOCALSTACK_HOST": self._address,
            "FILESYSTEM_ROOT": str(folder),
            "DISABLE_EVENTS": "1",
            "SKIP_SSL_CERT_DOWNLOAD": "1",
            "DNS_ADDRESS": "0",
            "LOCALSTACK_ACTIVATE_PRO": "0",
            "EAGER_SERVICE_LOADING": "0",
            "S3_SKIP_SIGNATURE_VALIDATION": "0",
            "SQS_ENDPOINT_STRATEGY": "path",
        }
        command = [str(install()), "-m", "localstack.runtime.main"]
        self._process = Process("localstack", command, environment, folder / "log")

    @property
    def url(self) -> str:
        return f"http://{self._address}"

    @property
    def environment(self) -> dict[str, str]:
        """What makes our settings use its SQS and S3 in place of the embedded parts."""
        endpoints = {"SQS_ENDPOINT_URL": self.url, "SQS_CREATE_QUEUES": "true", "S3_ENDPOINT_URL": self.url}
        return CREDENTIALS | endpoints

    def sqs(self) -> SQSClient:
        client: SQSClient = self._session().client("sqs")
        return client

    def s3(self) -> S3Client:
        client: S3Client = self._session().client("s3")
        return client

    def start(self) -> None:
        """Returns when it answers."""
        self._process.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.has_ended() or time.monotonic() > deadline:
                self.stop()
                raise LocalStackMissing(f"it did not start on {self._address}")
            time.sleep(0.1)

    def stop(self) -> None:
        """At once: it has nothing to save, and takes seconds to say good-bye."""
        self._process.wait_or_kill(0)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/_localstack/health", timeout=2).is_success
        except httpx.TransportError:
            return False

    def _session(self) -> Any:
        return Session(
            CREDENTIALS["AWS_ACCESS_KEY_ID"],
            CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            localstack_host=self._address,
        )


if __name__ == "__main__":
    install()
