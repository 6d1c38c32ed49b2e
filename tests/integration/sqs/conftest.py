"""Settings that put SQS and S3 of LocalStack in place of the embedded parts."""

from __future__ import annotations

import secrets

import pytest

from tests.servers.localstack import LocalStackServer


@pytest.fixture
def cloud(localstack: LocalStackServer) -> dict[str, str]:
    """Queues of its own for each test, made on demand, and a bucket, which is there as in any cloud."""
    name = f"test-{secrets.token_hex(6)}"
    localstack.s3().create_bucket(Bucket=name)
    return localstack.environment | {"SQS_QUEUE_PREFIX": name, "S3_BUCKET": name}
