"""Each adapter on its real server, behind a line that a test can cut."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from common.jobs.database import connect, create_indexes
from common.objects.store import ObjectStore
from common.queue.base import QueuePort
from common.queue.mongo import MongoQueue
from common.queue.sqs import SqsQueue
from common.settings import Settings, load_settings
from tests.servers.line import Line
from tests.servers.localstack import CREDENTIALS

OpenQueue = Callable[..., QueuePort]
VISIBILITY_SECONDS = 30
MAX_DELIVERIES = 10


@dataclass(frozen=True, kw_only=True)
class QueueBench:
    """`open` gives a new adapter on the same queues, as another process would have it."""

    open: OpenQueue
    line: Line


@dataclass(frozen=True, kw_only=True)
class ObjectBench:
    """A store with a bucket of its own; `options` are the settings to open it with."""

    store: ObjectStore
    settings: Settings
    line: Line

    def other(self, **changes: object) -> ObjectStore:
        return ObjectStore(self.settings.objects.model_copy(update=changes))


@pytest.fixture(params=["mongo", "sqs"])
def queue_bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[QueueBench]:
    with ExitStack() as cleanup:
        make = _mongo_queue if request.param == "mongo" else _sqs_queue
        line, build = make(request, monkeypatch, cleanup)

        def open_queue(
            *, visibility_seconds: int = VISIBILITY_SECONDS, max_deliveries: int = MAX_DELIVERIES
        ) -> QueuePort:
            queue = build(visibility_seconds, max_deliveries)
            cleanup.callback(queue.wake)
            return queue

        yield QueueBench(open=open_queue, line=line)


@pytest.fixture
def queue(queue_bench: QueueBench) -> QueuePort:
    return queue_bench.open()


BuildQueue = Callable[[int, int], QueuePort]


def _mongo_queue(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, cleanup: ExitStack
) -> tuple[Line, BuildQueue]:
    server = request.getfixturevalue("mongo_server")
    line = cleanup.enter_context(_line_to(server.uri))
    environment = {
        "MONGODB_URI": f"mongodb://127.0.0.1:{line.port}/?directConnection=true",
        "MONGODB_DB_NAME": f"test-{secrets.token_hex(6)}",
        "SECRETARY_MONGODB__CONNECT_TIMEOUT_MS": "1000",
    }
    direct = connect(load_settings(environment | {"MONGODB_URI": server.uri}).mongodb)
    create_indexes(direct)
    cleanup.callback(direct.client.close)
    cleanup.callback(direct.client.drop_database, direct.name)

    def build(visibility_seconds: int, max_deliveries: int) -> QueuePort:
        database = connect(load_settings(environment).mongodb)
        cleanup.callback(database.client.close)
        return MongoQueue(
            database, visibility_seconds=visibility_seconds, max_deliveries=max_deliveries, poll_seconds=1.0
        )

    return line, build


def _sqs_queue(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, cleanup: ExitStack
) -> tuple[Line, BuildQueue]:
    server = request.getfixturevalue("localstack")
    line = cleanup.enter_context(_line_to(server.url))
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    prefix = f"test-{secrets.token_hex(6)}"
    environment = server.environment | {
        "SQS_ENDPOINT_URL": f"http://127.0.0.1:{line.port}",
        "SQS_QUEUE_PREFIX": prefix,
    }

    def build(visibility_seconds: int, max_deliveries: int) -> QueuePort:
        changes = {"visibility_seconds": visibility_seconds, "max_deliveries": max_deliveries}
        settings = load_settings(environment)
        return SqsQueue(settings.queue.model_copy(update=changes), region=settings.objects.region)

    return line, build


@pytest.fixture(params=["seaweedfs", "localstack"])
def object_bench(request: pytest.FixtureRequest) -> Iterator[ObjectBench]:
    name = "object_server" if request.param == "seaweedfs" else "localstack"
    environment = dict(request.getfixturevalue(name).environment)
    with _line_to(environment["S3_ENDPOINT_URL"]) as line:
        environment |= {
            "S3_ENDPOINT_URL": f"http://127.0.0.1:{line.port}",
            "S3_BUCKET": f"test-{secrets.token_hex(6)}",
        }
        settings = load_settings(environment)
        store = ObjectStore(settings.objects)
        store.create_bucket()
        yield ObjectBench(store=store, settings=settings, line=line)


def _line_to(url: str) -> closing[Line]:
    where = urlsplit(url)
    assert where.hostname and where.port
    return closing(Line(where.hostname, where.port))
