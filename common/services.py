"""What a process works with, put together once from the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Self

from pymongo.database import Database

from common import logs
from common.access import Caller
from common.clock import Clock, NewId, new_id, utc_now
from common.identity.base import Identity
from common.identity.configured import identity_of
from common.jobs.batch_store import BatchStore
from common.jobs.cache_marks import CacheMarks
from common.jobs.changes import Changes
from common.jobs.control_store import ControlStore
from common.jobs.database import Document, connect
from common.jobs.statistics_store import StatisticsStore
from common.jobs.store import JobStore
from common.jobs.updates import Timing
from common.keys.store import KeyStore
from common.objects.store import ObjectStore
from common.queue.base import QueuePort
from common.queue.mongo import MongoQueue
from common.queue.sqs import SqsQueue
from common.rate_limits import RateLimiter
from common.settings import Settings, settings
from common.tracing import Tracer, tracer_for
from common.uploads.store import UploadStore
from common.webhooks.store import DeliveryStore

if TYPE_CHECKING:
    from common.webhooks.hook import Hooks


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

    @cached_property
    def keys(self) -> KeyStore:
        return KeyStore(self.database)

    @cached_property
    def statistics(self) -> StatisticsStore:
        return StatisticsStore(self.database)

    @cached_property
    def uploads(self) -> UploadStore:
        return UploadStore(self.database)

    @cached_property
    def cache_marks(self) -> CacheMarks:
        return CacheMarks(self.database)

    @cached_property
    def tracer(self) -> Tracer:
        return tracer_for(self.settings.tracing)

    @cached_property
    def rate_limiter(self) -> RateLimiter | None:
        """None in the open mode, whose one caller is the machine's own user."""
        is_open = self.settings.access.mode == "open"
        return None if is_open else RateLimiter(self.database, self.settings.rate_limits)

    @cached_property
    def deliveries(self) -> DeliveryStore:
        return DeliveryStore(self.database)

    @cached_property
    def hooks(self) -> Hooks:
        """Only who seals or opens a webhook's secret loads what that takes."""
        from common.outbound.guard import Guard
        from common.outbound.policy import policy_of
        from common.webhooks.hook import Hooks
        from common.webhooks.secrets import NoSealingKey, SecretBox

        keys = tuple(key.get_secret_value() for key in self.settings.webhooks.secret_keys)
        if not keys:
            raise NoSealingKey("Webhooks are off: the operator has not set webhooks.secret_keys.")
        guard = Guard(policy_of(self.settings.outbound))
        return Hooks(guard=guard, box=SecretBox(keys=keys), clock=self.clock)

    def with_own_queue(self) -> Self:
        """For threads that wait for messages of their own and must not take the wake-ups of others."""
        return replace(self, queue=_queue(self.settings, self.database))

    @cached_property
    def identity(self) -> Identity:
        return identity_of(self.settings, find_key=self.keys.find, now=self.clock)

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """Who calls, by the proof of the configured mode."""
        return self.identity.caller(headers)

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
        return SqsQueue(options.queue, region=options.objects.region)
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
