"""functions/process behind a real SQS queue: what it is handed, and what it answers."""

from __future__ import annotations

import functools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from functions_framework import create_app
from werkzeug.test import Client

from common.access import Caller
from common.jobs.lifecycle import JobStatus
from common.jobs.submit import submit_job
from common.queue.base import queue_for
from common.services import Services
from infra.local.template import function_source
from tests.servers.localstack import LocalStackServer
from tests.servers.site import site

SAMPLES = Path(__file__).parents[3] / "samples"
ANNA = Caller(user_id="anna")
Records = list[dict[str, Any]]


@pytest.fixture
def post(services: Services) -> functools.partial[Any]:
    """The function as its container runs it."""
    app = create_app("process", str(function_source("process")))  # type: ignore[no-untyped-call]
    return functools.partial(Client(app).post, "/events")


def submit(services: Services, url: str, **more: Any) -> str:
    body = {"job_type": "pdf", "parameters": {"url": url}, **more}
    return submit_job(services, ANNA, body, key=None).job_id


def records(localstack: LocalStackServer, environment: dict[str, str], *, wait: int = 5) -> Records:
    """Received from the queue, hidden for hours, and put into the form in which Lambda hands them on."""
    sqs = localstack.sqs()
    name = f"{environment['SQS_QUEUE_PREFIX']}-{queue_for('pdf', 1)}"
    answer = sqs.receive_message(
        QueueUrl=sqs.get_queue_url(QueueName=name)["QueueUrl"],
        MaxNumberOfMessages=10,
        WaitTimeSeconds=wait,
        VisibilityTimeout=5_400,
    )
    received = answer.get("Messages", [])
    return [
        {"messageId": item["MessageId"], "receiptHandle": item["ReceiptHandle"], "body": item["Body"],
         "eventSource": "aws:sqs", "awsRegion": "us-east-1", "attributes": {}, "messageAttributes": {},
         "eventSourceARN": f"arn:aws:sqs:us-east-1:000000000000:{name}"}
        for item in received
    ]  # fmt: skip


def failures(answer: Any) -> list[str]:
    assert answer.status_code == 200
    body = answer.get_json()
    assert list(body) == ["batchItemFailures"], "Lambda reads nothing else"
    return [item["itemIdentifier"] for item in body["batchItemFailures"]]


def status(services: Services, job_id: str) -> JobStatus:
    job = services.jobs.get(job_id)
    assert job is not None
    return job.status


def test_a_job_that_runs_needs_no_second_message(
    services: Services, localstack: LocalStackServer, environment: dict[str, str], post: Any
) -> None:
    with site(SAMPLES) as address:
        job_id = submit(services, f"{address}/slides.pdf")
        event = {"Records": records(localstack, environment)}

        assert failures(post(json=event)) == []
        assert status(services, job_id) is JobStatus.COMPLETED
        assert failures(post(json=event)) == [], "a message delivered twice is done with"

    job = services.jobs.get(job_id)
    assert job is not None
    assert job.attempt == 1


def test_only_the_messages_that_must_come_again_are_named(
    services: Services, localstack: LocalStackServer, environment: dict[str, str], post: Any
) -> None:
    with site(SAMPLES) as address:
        good = submit(services, f"{address}/slides.pdf")
        held = submit(services, f"{address}/report.pdf")
        missing = submit(services, f"{address}/nothing.pdf")
        handed = records(localstack, environment)
        while len(handed) < 3:
            handed += records(localstack, environment)
        assert services.jobs.claim(held, "another-worker") is not None
        foreign = {"messageId": "foreign", "body": "no JSON at all"}
        unknown = {"messageId": "unknown", "body": '{"job_id": "job-deleted"}'}

        named = failures(post(json={"Records": [foreign, *handed, unknown]}))

    of_held = [record["messageId"] for record in handed if held in record["body"]]
    assert named == ["foreign", *of_held]
    assert status(services, good) is JobStatus.COMPLETED
    assert status(services, held) is JobStatus.PROCESSING
    assert status(services, missing) is JobStatus.FAILED


def test_a_message_that_must_come_again_does_so_when_its_job_can_be_claimed(
    services: Services, localstack: LocalStackServer, environment: dict[str, str], post: Any
) -> None:
    """Not after the hours for which a function's queue hides what it has handed out."""
    job_id = submit(services, "https://example.org/a.pdf")
    assert services.jobs.claim(job_id, "another-worker") is not None
    handed = records(localstack, environment)
    services.database["jobs"].update_one(
        {"_id": job_id}, {"$set": {"lease.expires_at": services.jobs.now() + timedelta(seconds=2)}}
    )

    assert failures(post(json={"Records": handed})) == [handed[0]["messageId"]]

    again = records(localstack, environment, wait=20)
    assert [record["messageId"] for record in again] == [handed[0]["messageId"]]


def test_a_job_that_is_not_due_keeps_its_message(services: Services, post: Any) -> None:
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    job_id = submit(services, "https://example.org/a.pdf", not_before=later)
    early = {"messageId": "early", "body": f'{{"job_id": "{job_id}"}}'}

    assert failures(post(json={"Records": [early]})) == ["early"]
    assert status(services, job_id) is JobStatus.PENDING


@pytest.mark.parametrize("event", [{}, {"Records": "none"}, {"Records": [{"body": "{}"}]}, {"Records": [7]}])
def test_what_is_no_event_is_refused_and_never_reads_as_success(post: Any, event: dict[str, Any]) -> None:
    answer = post(json=event)

    assert answer.status_code == 400
    assert "batchItemFailures" not in answer.get_json()
