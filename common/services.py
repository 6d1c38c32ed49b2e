"""What a process works with, put together once from the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pymongo.database import Database

from common import logs
from common.access import Caller
from common.clock import Clock, NewId, new_id, utc_now
from common.errors import NotImplementedYet
from common.jobs.batch_store import BatchStore
from common.jobs.changes import Changes
from common.jobs.control_store import ControlStore
from common.jobs.database import Document, connect
from common.jobs.store import JobStore
from common.jobs.updates import Timing
from common.objects.store import ObjectStore
from common.queue.base import QueuePort
from common.queue.mongo import MongoQueue
from common.settings import Settings, settings


@dataclass(frozen=True, kw_only=True)
class Services:
    """Settings, stores, queue, clock and ids; tests build their own."""

    settings: Settings
    database: Database[Document]
    jobs: JobStore
    batches: BatchStore
    control: ControlStore
    objects: ObjectStore
    queue: QueuePort
    changes: Changes
    clock: Clock = utc_now
    new_id: NewId = new_id

    def identify(self, headers: Mapping[str, str], *, public: bool) -> Caller:
        """In the open mode there is one local user, who may do everything; it binds to loopback only."""
        if self.settings.access.mode != "open":
            raise NotImplementedYet(f"The access mode {self.settings.access.mode} is not built yet.")
        return Caller(user_id="local", is_admin=True)

    def close(self) -> None:
        """Ends the threads that listen, then the connections; only tests and tools need it."""
        self.changes.close()
        self.queue.wake()
        self.database.client.close()


def build(options: Settings) -> Services:
    logs.configure(options.logging)
    database = connect(options.mongodb)
    timing = Timing(
        lease_seconds=options.jobs.lease_seconds,
        resend_seconds=options.sweep.resend_after_seconds,
        log_lines=options.jobs.log_lines,
    )
    return Services(
        settings=options,
        database=database,
        jobs=JobStore(database, timing),
        batches=BatchStore(database, check_seconds=options.sweep.resend_after_seconds),
        control=ControlStore(database, timing),
        objects=ObjectStore(options.objects),
        queue=_queue(options, database),
        changes=Changes(database),
    )


def _queue(options: Settings, database: Database[Document]) -> QueuePort:
    if options.queue.adapter == "sqs":
        raise NotImplementedYet("The SQS queue is not built yet; unset SQS_* to use MongoDB.")
    return MongoQueue(
        database,
        visibility_seconds=options.queue.visibility_seconds,
        max_deliveries=options.queue.max_deliveries,
        poll_seconds=options.generic_worker.poll_interval_sec,
    )


@lru_cache(maxsize=1)
def services() -> Services:
    """The services of this process; made on first use, so that a cold start stays short."""
    return build(settings())
