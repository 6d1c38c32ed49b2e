"""What only SQS has: queues that may be missing, message groups, redrive, foreign messages."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from common.errors import Unavailable
from common.queue.base import NOTIFY_QUEUE, Message, queue_for
from common.queue.sqs import SqsQueue
from common.settings import load_settings
from tests.servers.localstack import CREDENTIALS, LocalStackServer

PDF = queue_for("pdf", 1)
SESSION = queue_for("session", 1)


class Bench:
    """One prefix of queues, seen by our adapter and by a plain client."""

    def __init__(self, server: LocalStackServer, environment: dict[str, str]) -> None:
        self.sqs = server.sqs()
        self.prefix = environment["SQS_QUEUE_PREFIX"]
        self._environment = environment

    def adapter(self, *, creates: bool = True) -> SqsQueue:
        settings = load_settings(self._environment | {"SQS_CREATE_QUEUES": str(creates)})
        return SqsQueue(settings.queue, region="us-east-1")

    def url(self, queue: str) -> str:
        return self.sqs.get_queue_url(QueueName=f"{self.prefix}-{queue}")["QueueUrl"]

    def attributes(self, queue: str) -> dict[str, Any]:
        answer = self.sqs.get_queue_attributes(QueueUrl=self.url(queue), AttributeNames=["All"])
        return {str(name): value for name, value in answer["Attributes"].items()}

    def receive(self, queue: str) -> dict[str, Any]:
        (message,) = self.sqs.receive_message(
            QueueUrl=self.url(queue), MessageSystemAttributeNames=["All"], WaitTimeSeconds=5
        )["Messages"]
        return dict(message)


@pytest.fixture
def bench(localstack: LocalStackServer, cloud: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return Bench(localstack, cloud)


def message(subject_id: str, queue: str = PDF, *, user_id: str = "anna") -> Message:
    return Message(queue=queue, subject_id=subject_id, user_id=user_id)


def test_a_queue_made_on_demand_has_its_dead_letters(bench: Bench) -> None:
    bench.adapter().send([message("job-1")])

    redrive = json.loads(bench.attributes(PDF)["RedrivePolicy"])
    assert redrive["deadLetterTargetArn"] == bench.attributes(f"{PDF}-dead")["QueueArn"]
    assert int(redrive["maxReceiveCount"]) == 10
    assert bench.attributes(PDF)["VisibilityTimeout"] == "60"


def test_a_queue_that_exists_is_used_as_it_is(bench: Bench) -> None:
    bench.sqs.create_queue(QueueName=f"{bench.prefix}-{PDF}", Attributes={"VisibilityTimeout": "5400"})

    bench.adapter().send([message("job-1")])

    assert bench.attributes(PDF)["VisibilityTimeout"] == "5400"
    assert json.loads(bench.receive(PDF)["Body"])["job_id"] == "job-1"


def test_nothing_is_made_where_that_is_not_wanted(bench: Bench) -> None:
    queue = bench.adapter(creates=False)

    with pytest.raises(Unavailable, match=f"There is no queue {bench.prefix}-{PDF}"):
        queue.send([message("job-1")])
    with pytest.raises(Unavailable, match=f"There is no queue {bench.prefix}-{NOTIFY_QUEUE}"):
        queue.check()
    assert "QueueUrls" not in bench.sqs.list_queues(QueueNamePrefix=bench.prefix)


def test_a_missing_queue_does_not_keep_the_others_from_being_served(bench: Bench) -> None:
    bench.sqs.create_queue(QueueName=f"{bench.prefix}-{SESSION}")
    queue = bench.adapter(creates=False)
    queue.send([message("job-1", SESSION)])

    (delivery,) = queue.receive([PDF, SESSION], limit=1, wait_seconds=5)

    assert delivery.message.subject_id == "job-1"
    assert queue.depth([PDF, SESSION]) == {PDF: 0, SESSION: 1}


def test_a_queue_that_vanished_is_made_again(bench: Bench) -> None:
    """As after the restart of an emulator; what was in it is sent anew by the sweep."""
    queue = bench.adapter()
    queue.send([message("job-1")])
    bench.sqs.delete_queue(QueueUrl=bench.url(PDF))

    queue.send([message("job-2")])

    (delivery,) = queue.receive([PDF], limit=10, wait_seconds=5)
    assert delivery.message.subject_id == "job-2"


@pytest.mark.parametrize(
    ("user_id", "group_id"),
    [
        ("anna@example.org", "anna@example.org"),
        ("Jürgen", sha256("Jürgen".encode()).hexdigest()),
    ],
)
def test_each_user_is_a_group_so_that_standard_queues_share_fairly(
    bench: Bench, user_id: str, group_id: str
) -> None:
    bench.adapter().send([message("job-1", user_id=user_id)])

    assert bench.receive(PDF)["Attributes"]["MessageGroupId"] == group_id


def test_a_foreign_message_is_left_for_the_dead_letters(bench: Bench) -> None:
    queue = bench.adapter()
    queue.send([message("job-1")])
    for body in ("hello", "[]", '{"job_id": 7}'):
        bench.sqs.send_message(QueueUrl=bench.url(PDF), MessageBody=body)

    found = queue.receive([PDF], limit=10, wait_seconds=5)

    assert [delivery.message.subject_id for delivery in found] == ["job-1"]
    assert queue.depth([PDF]) == {PDF: 4}


def test_a_job_type_with_letters_that_sqs_does_not_take_has_a_queue_too(bench: Bench) -> None:
    queue = bench.adapter()
    queue.send([message("job-1", queue_for("acme.minutes/v2", 1))])

    (delivery,) = queue.receive([queue_for("acme.minutes/v2", 1)], limit=1, wait_seconds=5)

    assert delivery.message.queue == "jobs-acme.minutes/v2"
    assert bench.url("jobs-acme_minutes_v2")
