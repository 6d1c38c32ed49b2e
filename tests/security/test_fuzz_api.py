"""P41: every route under generated requests, good and bad, answers as its specification says."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.jobs.database import connect, create_indexes
from common.settings import load_settings
from tests.security.fuzz.run import fuzz
from tests.servers.gateway import GatewayServer
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer

SECONDS = 45


@pytest.fixture
def gateway(
    mongo_server: MongoServer, object_server: SeaweedServer, tmp_path: Path
) -> Iterator[GatewayServer]:
    environment = {
        "MONGODB_URI": mongo_server.uri,
        "MONGODB_DB_NAME": f"fuzz-{secrets.token_hex(4)}",
        "SECRETARY_WEBHOOKS__SECRET_KEYS": "test-key-of-the-fuzz-suite-0123456789",
        **object_server.environment,
    }
    database = connect(load_settings(environment).mongodb)
    create_indexes(database)
    server = GatewayServer(tmp_path, environment)
    server.start()
    yield server
    server.stop()
    database.client.drop_database(database.name)
    database.client.close()


@pytest.mark.timeout(SECONDS + 150)
def test_no_generated_request_breaks_a_route(gateway: GatewayServer) -> None:
    finished = fuzz(gateway.url, seconds=SECONDS, examples=2)
    assert "passed" in finished.stdout, finished.stdout + finished.stderr
    assert finished.returncode == 0, finished.stdout[-6000:]
