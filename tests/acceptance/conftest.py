"""The service under test: each local stack in turn, or the one that SECRETARY_URL names.

A given service must reach the loopback of this machine, where the sources are, and be allowed to:
SECRETARY_OUTBOUND__ALLOW_NETWORKS=127.0.0.0/8. Its API key, if it asks for one, is in SECRETARY_API_KEY.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.user import User
from tests.servers.localstack import LocalStackServer
from tests.servers.site import site
from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[2] / "samples"
GIVEN_URL = os.environ.get("SECRETARY_URL")
PATIENCE_SECONDS = 60.0


@pytest.fixture(scope="session", params=["given"] if GIVEN_URL else ["embedded", "sqs-and-s3"])
def service_url(request: pytest.FixtureRequest) -> str:
    if GIVEN_URL:
        return GIVEN_URL
    stack: StackServer = request.getfixturevalue("stack" if request.param == "embedded" else "cloud_stack")
    return stack.url


@pytest.fixture(scope="session")
def cloud_stack(
    tmp_path_factory: pytest.TempPathFactory, localstack: LocalStackServer
) -> Iterator[StackServer]:
    """The same service on SQS and S3 of LocalStack."""
    name = f"acceptance-{secrets.token_hex(6)}"
    localstack.s3().create_bucket(Bucket=name)
    environment = localstack.environment | {"SQS_QUEUE_PREFIX": name, "S3_BUCKET": name}
    server = StackServer(tmp_path_factory.mktemp("cloud-stack"), environment=environment)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sources() -> Iterator[str]:
    with site(SAMPLES) as address:
        yield address


@pytest.fixture
def user(service_url: str) -> Iterator[User]:
    key = os.environ.get("SECRETARY_API_KEY")
    with httpx.Client(
        base_url=service_url, timeout=PATIENCE_SECONDS, headers={"X-API-Key": key} if key else {}
    ) as http:
        yield User(http)
