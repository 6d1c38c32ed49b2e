"""The gateway with one database for all tests of the API: each test looks at its own jobs only."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import httpx
import pytest

from common.jobs.database import create_indexes
from common.services import Services, build
from common.settings import load_settings
from tests.servers.gateway import GatewayServer
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer


@pytest.fixture(scope="session")
def api_environment(mongo_server: MongoServer, object_server: SeaweedServer) -> dict[str, str]:
    return {
        "MONGODB_URI": mongo_server.uri,
        "MONGODB_DB_NAME": f"api-{secrets.token_hex(4)}",
        "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
        "SECRETARY_WEBHOOKS__SECRET_KEYS": "test-key-of-the-api-suite-0123456789",
        **object_server.environment,
    }


@pytest.fixture(scope="session")
def api_services(api_environment: dict[str, str]) -> Iterator[Services]:
    provided = build(load_settings(api_environment))
    create_indexes(provided.database)
    yield provided
    provided.database.client.drop_database(provided.database.name)
    provided.close()


@pytest.fixture
def services(api_services: Services) -> Services:
    return api_services


@pytest.fixture(scope="session")
def gateway(
    api_services: Services, api_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GatewayServer]:
    server = GatewayServer(tmp_path_factory.mktemp("gateway"), api_environment)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def api(gateway: GatewayServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=gateway.url, timeout=40) as client:
        yield client
