"""The boto3 client of SQS, and what its errors mean to us."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from common.errors import Unavailable
from common.settings import Queue

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

LONGEST_POLL_SECONDS = 20  # what SQS allows
CONNECTIONS = 64  # each waiting long poll holds one


class QueueMissing(Unavailable):
    """Raised when a queue does not exist and may not be created here."""


def sqs_client(options: Queue, *, region: str) -> SQSClient:
    """Credentials come the usual way: AWS_* variables, a role, a profile."""
    import boto3
    from botocore.config import Config

    return boto3.session.Session().client(
        "sqs",
        endpoint_url=options.sqs_endpoint_url,
        region_name=region,
        config=Config(
            connect_timeout=3,
            read_timeout=LONGEST_POLL_SECONDS + 5,
            retries={"total_max_attempts": 3, "mode": "standard"},
            max_pool_connections=CONNECTIONS,
        ),
    )


@contextmanager
def outages() -> Iterator[None]:
    """Whatever boto3 raises means that the queue cannot be used now; the message says why."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        reason = error.response["Error"]["Code"]
        raise Unavailable(f"The queue refuses to work: {reason}.") from error
    except BotoCoreError as error:
        raise Unavailable(f"The queue does not answer: {type(error).__name__}.") from error
