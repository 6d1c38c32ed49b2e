"""A queue event in SQS form, as a function receives it: each message alone, partial failures named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from common import logs
from common.errors import BadRequest
from common.jobs.database import FAULTS
from common.queue.base import Delivery, QueuePort, decode

Record = dict[str, Any]
Failures = dict[str, list[dict[str, str]]]
Handle = Callable[[str], float | None]
FAULT_SECONDS = 30.0  # after MongoDB or the object store did not answer


def each_message(event: Record, handle: Handle, *, queue: QueuePort, prefix: str) -> Failures:
    """`handle` gets the id of a job or delivery, and says in how many seconds its message must come
    again, or None when it is done with. `batchItemFailures` names those that must."""
    records = event.get("Records")
    if not isinstance(records, list):
        raise BadRequest("Expected an event with Records, as SQS sends it.")
    if not all(isinstance(record, dict) and isinstance(record.get("messageId"), str) for record in records):
        raise BadRequest("Expected a messageId in each of the Records, as SQS sends it.")
    failed = [record["messageId"] for record in records if not _is_done(record, handle, queue, prefix)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _is_done(record: Record, handle: Handle, queue: QueuePort, prefix: str) -> bool:
    """A fault costs its own message another delivery and leaves the others alone."""
    try:
        delivery = _delivery(record, prefix)
    except ValueError as error:
        # It comes again until it lies with the dead letters, for someone to look at.
        logs.warning("message is none of ours", message_id=record["messageId"], reason=str(error))
        return False
    try:
        seconds = handle(delivery.message.subject_id)
    except FAULTS as error:
        logs.warning("message waits", subject_id=delivery.message.subject_id, error=type(error).__name__)
        seconds = FAULT_SECONDS
    if seconds is None:
        return True
    _put_off(queue, delivery, seconds)
    return False


def _delivery(record: Record, prefix: str) -> Delivery:
    name = str(record.get("eventSourceARN", "")).rpartition(":")[2].removeprefix(f"{prefix}-")
    message = decode(name, str(record.get("body")))
    return Delivery(message=message, receipt=str(record.get("receiptHandle", "")), deliveries=1)


def _put_off(queue: QueuePort, delivery: Delivery, seconds: float) -> None:
    """Else it would stay hidden for the queue's whole visibility time, which is hours for a function."""
    if not delivery.receipt or not delivery.message.queue:
        return
    try:
        queue.retry_later(delivery, delay_seconds=seconds)
    except FAULTS as error:
        logs.warning(
            "message not put off", subject_id=delivery.message.subject_id, error=type(error).__name__
        )
