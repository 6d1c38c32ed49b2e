"""Settings that put SQS and S3 of LocalStack in place of the embedded parts."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from common.services import services as services_of_process
from common.settings import settings as settings_of_process
from tests.servers.localstack import LocalStackServer


@pytest.fixture
def cloud(localstack: LocalStackServer) -> dict[str, str]:
    """Queues of its own for each test, made on demand, and a bucket, which is there as in any cloud."""
    name = f"test-{secrets.token_hex(6)}"
    localstack.s3().create_bucket(Bucket=name)
    return localstack.environment | {"SQS_QUEUE_PREFIX": name, "S3_BUCKET": name}


@pytest.fixture
def environment(
    database_environment: dict[str, str], cloud: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    """Also in os.environ: the function builds its services from there, as does the child of each job."""
    chosen = database_environment | cloud | {"SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8"}
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    services_of_process.cache_clear()
    settings_of_process.cache_clear()
    yield chosen
    services_of_process().close()
    services_of_process.cache_clear()
    settings_of_process.cache_clear()
