"""A queue event in SQS form, as a function receives it: each message alone, partial failures named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pymongo.errors import PyMongoError

from common import logs
from common.errors import BadRequest, SecretaryError
from common.queue.base import subject_of

Failures = dict[str, list[dict[str, str]]]
FAULTS = (PyMongoError, SecretaryError)


def each_message(event: dict[str, Any], handle: Callable[[str], bool]) -> Failures:
    """`handle` gets the id of a job or delivery and says whether its message is done with.

    `batchItemFailures` names the messages that the queue must deliver again, and in the end give up.
    """
    records = event.get("Records")
    if not isinstance(records, list):
        raise BadRequest("Expected an event with Records, as SQS sends it.")
    if not all(isinstance(record, dict) and isinstance(record.get("messageId"), str) for record in records):
        raise BadRequest("Expected a messageId in each of the Records, as SQS sends it.")
    failed = [record["messageId"] for record in records if not _handled(record, handle)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _handled(record: dict[str, Any], handle: Callable[[str], bool]) -> bool:
    """A fault costs its own message another delivery and leaves the others alone."""
    try:
        subject_id = subject_of(str(record.get("body")))
    except ValueError as error:
        logs.warning("message is none of ours", message_id=record["messageId"], reason=str(error))
        return False
    try:
        return handle(subject_id)
    except FAULTS as error:
        logs.warning("message must come again", subject_id=subject_id, error=type(error).__name__)
        return False
