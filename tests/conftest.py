"""Fixtures for all tests: real servers once per run, a database of its own for each test."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from pymongo.database import Database

from common.jobs.database import Document, connect, create_indexes
from common.services import Services, build
from common.settings import Settings, load_settings
from tests.servers.localstack import LocalStackMissing, LocalStackServer
from tests.servers.mongo import MongoServer
from tests.servers.seaweed import SeaweedServer
from tests.servers.stack import StackServer

ROOT = Path(__file__).parents[1]
# Fixtures that start it.
LOCALSTACK = {"localstack", "cloud_stack", "service_url", "queue_bench", "object_bench"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Side by side go whole files; those that need LocalStack share a process, as it is slow to start."""
    with_localstack = {item.path for item in items if LOCALSTACK & set(_fixtures(item))}
    for item in items:
        group = "localstack" if item.path in with_localstack else str(item.path.relative_to(ROOT))
        item.add_marker(pytest.mark.xdist_group(group))


def _fixtures(item: pytest.Item) -> list[str]:
    names: list[str] = getattr(item, "fixturenames", [])
    return names


@pytest.fixture(scope="session")
def mongo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MongoServer]:
    """One mongod for the whole run; a test that stops it must start it again."""
    server = MongoServer(tmp_path_factory.mktemp("mongod"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def object_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SeaweedServer]:
    """One SeaweedFS with one bucket for the whole run: keys hold ids, so tests do not meet."""
    server = SeaweedServer(tmp_path_factory.mktemp("seaweedfs"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def localstack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStackServer]:
    """SQS and S3 of LocalStack, once per run; where it cannot be had, CI fails and others skip."""
    try:
        server = LocalStackServer(tmp_path_factory.mktemp("localstack"))
        server.start()
    except LocalStackMissing as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"LocalStack cannot be had: {error}")
    yield server
    server.stop()


@pytest.fixture
def database_environment(mongo_server: MongoServer) -> Iterator[dict[str, str]]:
    """The address of an empty database with all indexes, gone after the test."""
    environment = {"MONGODB_URI": mongo_server.uri, "MONGODB_DB_NAME": f"test-{secrets.token_hex(6)}"}
    database = connect(load_settings(environment).mongodb)
    create_indexes(database)
    yield environment
    database.client.drop_database(database.name)
    database.client.close()


@pytest.fixture
def database(database_environment: dict[str, str]) -> Iterator[Database[Document]]:
    found = connect(load_settings(database_environment).mongodb)
    yield found
    found.client.close()


@pytest.fixture
def environment(database_environment: dict[str, str], object_server: SeaweedServer) -> dict[str, str]:
    """What a process of ours needs to find this test's database and the object store.

    Test modules override this fixture to add settings of their own.
    """
    return database_environment | object_server.environment


@pytest.fixture
def settings(environment: dict[str, str]) -> Settings:
    return load_settings(environment)


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    provided = build(settings)
    yield provided
    provided.close()


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackServer]:
    """The whole service, once per run: tests look at their own jobs only and break nothing.

    A test with faults or settings of its own starts a StackServer of its own.
    """
    server = StackServer(tmp_path_factory.mktemp("stack"))
    server.start()
    yield server
    server.stop()
