"""LocalStack with SQS and S3, in an environment of its own: its pins are not ours.

`python -m tests.servers.localstack` installs it ahead of a test run.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from localstack_client.session import Session

from infra.local.ports import HOST, free_ports
from infra.local.process import Process
from tests.servers.own_environment import InstallationFailed, own_environment

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

VERSION = "4.12.0"
PUBLISHED_BEFORE = "2025-12-31"  # its own dependencies have moved on since
START_SECONDS = 60.0
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


class LocalStackMissing(Exception):
    """Raised when LocalStack is not installed and cannot be."""


def install() -> Path:
    """The Python that can run it."""
    what = [f"localstack-core[base-runtime,runtime]=={VERSION}", "service-identity"]
    try:
        return own_environment(f"localstack/{VERSION}", what, options=["--exclude-newer", PUBLISHED_BEFORE])
    except InstallationFailed as error:
        raise LocalStackMissing(str(error)) from error


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
