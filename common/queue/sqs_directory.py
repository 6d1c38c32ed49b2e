"""Our queue names and their SQS URLs: looked up once, made on demand where that is wanted."""

from __future__ import annotations

import json
import re
import threading
import time
from typing import TYPE_CHECKING

from common import logs
from common.queue.base import dead_letters
from common.queue.sqs_client import QueueMissing, outages
from common.settings import Queue

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
LONGEST_NAME = 80  # what SQS allows
LOOK_AGAIN_SECONDS = 60.0  # for a queue that was not there
DEAD_LETTER_DAYS = 14  # the longest that SQS keeps a message
DAY_SECONDS = 86_400


class SqsDirectory:
    """One per adapter; safe to share between threads."""

    def __init__(self, client: SQSClient, options: Queue) -> None:
        self._client = client
        self._options = options
        self._lock = threading.Lock()
        self._urls: dict[str, str] = {}
        self._missing: dict[str, float] = {}  # when each was last found missing

    def url(self, queue: str) -> str:
        """Raises QueueMissing when there is none and none may be made."""
        with self._lock:
            if queue not in self._urls:
                self._urls[queue] = self._find(queue)
            return self._urls[queue]

    def exists(self, queue: str) -> bool:
        """A job type of which nothing can be queued must not keep the others from being worked on."""
        if time.monotonic() - self._missing.get(queue, float("-inf")) < LOOK_AGAIN_SECONDS:
            return False
        try:
            self.url(queue)
        except QueueMissing as error:
            self._missing[queue] = time.monotonic()
            logs.warning("queue is missing", queue=self.name(queue), reason=error.message)
            return False
        return True

    def forget(self, queue: str) -> None:
        """After SQS said that it is gone: the next use looks again."""
        with self._lock:
            self._urls.pop(queue, None)

    def name(self, queue: str) -> str:
        name = NOT_IN_A_NAME.sub("_", f"{self._options.sqs_prefix}-{queue}")
        if len(name) > LONGEST_NAME:
            raise QueueMissing(f"The queue name {name} is longer than the {LONGEST_NAME} characters of SQS.")
        return name

    def _find(self, queue: str) -> str:
        name = self.name(queue)
        with outages():
            try:
                return self._client.get_queue_url(QueueName=name)["QueueUrl"]
            except self._client.exceptions.QueueDoesNotExist:
                if self._options.sqs_create_queues:
                    return self._create(queue)
        raise QueueMissing(
            f"There is no queue {name}. Create it, or set queue.sqs_create_queues to have it created."
        )

    def _create(self, queue: str) -> str:
        """With its dead letters, which are made first because the other one names them."""
        keep: dict[QueueAttributeNameType, str] = {
            "MessageRetentionPeriod": str(DEAD_LETTER_DAYS * DAY_SECONDS)
        }
        if queue.endswith(dead_letters("")):
            return self._client.create_queue(QueueName=self.name(queue), Attributes=keep)["QueueUrl"]
        dead = self._client.create_queue(QueueName=self.name(dead_letters(queue)), Attributes=keep)
        described = self._client.get_queue_attributes(QueueUrl=dead["QueueUrl"], AttributeNames=["QueueArn"])
        redrive = {
            "deadLetterTargetArn": described["Attributes"]["QueueArn"],
            "maxReceiveCount": self._options.max_deliveries,
        }
        made = self._client.create_queue(
            QueueName=self.name(queue),
            Attributes=keep
            | {
                "VisibilityTimeout": str(self._options.visibility_seconds),
                "RedrivePolicy": json.dumps(redrive),
            },
        )
        logs.info("queue created", queue=self.name(queue))
        return made["QueueUrl"]
