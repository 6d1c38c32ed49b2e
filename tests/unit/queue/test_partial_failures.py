"""A batch call to SQS can succeed for some entries and fail for others."""

from __future__ import annotations

from typing import Any

import pytest

from common.errors import Unavailable
from common.queue import sqs
from common.queue.base import Delivery, Message
from common.queue.sqs import SqsQueue
from common.settings import Queue
from tests.unit.queue.fake_sqs import Script, fake_sqs

THROTTLED = {"Code": "ServiceUnavailable", "SenderFault": False, "Message": "slow down"}
EXPIRED = {"Code": "ReceiptHandleIsInvalid", "SenderFault": True, "Message": "expired"}


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setattr(sqs, "PAUSES_SECONDS", (0.01, 0.01))


def adapter(url: str) -> SqsQueue:
    return SqsQueue(Queue(adapter="sqs", sqs_endpoint_url=url), region="us-east-1")


def messages(count: int) -> list[Message]:
    return [Message(queue="jobs-pdf", subject_id=f"job-{number}") for number in range(count)]


def deliveries(count: int) -> list[Delivery]:
    return [Delivery(message=item, receipt=item.subject_id, deliveries=1) for item in messages(count)]


def failing(error: dict[str, Any], *, ids: set[str], calls: int) -> Script:
    """The first `calls` requests fail for these entries; afterwards all is well."""
    seen: list[str] = []

    def script(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        seen.append(operation)
        entries = [entry["Id"] for entry in request["Entries"]]
        failed = [name for name in entries if name in ids and len(seen) <= calls]
        return {
            "Failed": [{"Id": name} | error for name in failed],
            "Successful": [
                {"Id": name, "MessageId": name, "MD5OfMessageBody": "0" * 32}
                for name in entries
                if name not in failed
            ],
        }

    return script


def sent_ids(requests: list[tuple[str, dict[str, Any]]]) -> list[list[str]]:
    return [[entry["Id"] for entry in request["Entries"]] for _, request in requests]


def test_only_what_failed_is_sent_again() -> None:
    with fake_sqs(failing(THROTTLED, ids={"2", "5"}, calls=1)) as fake:
        adapter(fake.url).send(messages(7))

    assert sent_ids(fake.requests) == [["0", "1", "2", "3", "4", "5", "6"], ["2", "5"]]


def test_a_message_that_is_never_taken_is_told() -> None:
    refusal = pytest.raises(Unavailable, match="did not take 1 entries: ServiceUnavailable")
    with fake_sqs(failing(THROTTLED, ids={"2"}, calls=100)) as fake, refusal:
        adapter(fake.url).send(messages(3))

    assert sent_ids(fake.requests) == [["0", "1", "2"], ["2"], ["2"]]


def test_a_receipt_that_has_expired_is_no_fault() -> None:
    with fake_sqs(failing(EXPIRED, ids={"1"}, calls=100)) as fake:
        queue = adapter(fake.url)
        queue.done(deliveries(3))
        queue.extend(deliveries(3))
        queue.retry_later(deliveries(2)[1], delay_seconds=5)

    assert sent_ids(fake.requests) == [["0", "1", "2"], ["0", "1", "2"], ["0"]]


def test_a_bulk_goes_in_tens() -> None:
    with fake_sqs(failing(THROTTLED, ids=set(), calls=0)) as fake:
        adapter(fake.url).send(messages(25))

    assert sorted(len(ids) for ids in sent_ids(fake.requests)) == [5, 10, 10]


def test_delays_stay_within_what_sqs_takes() -> None:
    with fake_sqs(failing(THROTTLED, ids=set(), calls=0)) as fake:
        queue = adapter(fake.url)
        queue.send([Message(queue="jobs-pdf", subject_id="a", delay_seconds=0.2)])
        queue.send([Message(queue="jobs-pdf", subject_id="b", delay_seconds=100_000)])
        queue.retry_later(deliveries(1)[0], delay_seconds=1_000_000)

    first, second, third = (request["Entries"][0] for _, request in fake.requests)
    assert (first["DelaySeconds"], second["DelaySeconds"]) == (1, 900)
    assert third["VisibilityTimeout"] == 43_200
