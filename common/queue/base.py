"""The queue port: what every adapter offers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

HIGH_PRIORITY = 5  # from here on a job goes into its type's fast lane
NOTIFY_QUEUE = "notify"
# What SQS allows; a message that comes too early is put off by whoever receives it.
LONGEST_DELAY_SECONDS = 900
BATCH_ARCHIVE = "batch_archive"  # a job type that nobody hands in: it packs what other jobs delivered


@dataclass(frozen=True, kw_only=True)
class Message:
    """What is sent: an id and who it is for, nothing that could go stale."""

    queue: str
    subject_id: str  # a job's or a delivery's id
    user_id: str = ""  # whose turn it uses up
    delay_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """A message in a receiver's hands, until it is done or its time runs out."""

    message: Message
    receipt: str
    deliveries: int


class QueuePort(Protocol):
    """At-least-once delivery; whoever receives must be able to bear a message twice."""

    def send(self, messages: Sequence[Message]) -> None: ...

    def receive(self, queues: Sequence[str], *, limit: int, wait_seconds: float) -> list[Delivery]:
        """From the first of these queues that has any; waits up to `wait_seconds` for one."""
        ...

    def extend(self, deliveries: Sequence[Delivery]) -> None:
        """Hide these for another visibility time, because the work goes on."""
        ...

    def done(self, deliveries: Sequence[Delivery]) -> None: ...

    def retry_later(self, delivery: Delivery, *, delay_seconds: float) -> None: ...

    def depth(self, queues: Sequence[str]) -> dict[str, int]:
        """About how many messages each queue holds: waiting, delayed or in a receiver's hands."""
        ...

    def check(self) -> None:
        """Raises Unavailable when the queue cannot be reached, as every call here does."""
        ...

    def wake(self) -> None:
        """Ends a waiting receive early, from another thread, and every later one at once."""
        ...


def queue_for(job_type: str, priority: int) -> str:
    """One queue per type and lane, so that each type scales and is limited on its own."""
    return f"jobs-{job_type}" + ("-high" if priority >= HIGH_PRIORITY else "")


def dead_letters(queue: str) -> str:
    """Where messages go that were delivered too often."""
    return f"{queue}-dead"


def encode(message: Message) -> str:
    """The body that travels; functions/process and functions/notify read it too."""
    name = "delivery_id" if message.queue == NOTIFY_QUEUE else "job_id"
    return json.dumps({name: message.subject_id, "user_id": message.user_id})


def decode(queue: str, body: str) -> Message:
    """Raises ValueError when the body is none of ours."""
    fields = json.loads(body)
    if not isinstance(fields, dict):
        raise ValueError(f"expected an object, found {type(fields).__name__}")  # noqa: TRY004 - one error for all
    subject_id = fields.get("job_id") or fields.get("delivery_id")
    if not isinstance(subject_id, str):
        raise ValueError("expected a job_id or a delivery_id")  # noqa: TRY004 - as above
    return Message(queue=queue, subject_id=subject_id, user_id=str(fields.get("user_id", "")))
