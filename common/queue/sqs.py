"""The queue on SQS: standard queues, one per job type and lane, each with its dead letters."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

from common import logs
from common.errors import Unavailable
from common.queue.base import LONGEST_DELAY_SECONDS, NOTIFY_QUEUE, Delivery, Message, decode, encode
from common.queue.sqs_client import outages, sqs_client
from common.queue.sqs_directory import SqsDirectory
from common.queue.sqs_polls import SqsPolls
from common.settings import Queue

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

Entry = dict[str, Any]
Item = TypeVar("Item")

BATCH = 10  # entries in one call, and messages in one answer, as SQS allows
LONGEST_VISIBILITY_SECONDS = 12 * 3600  # what SQS allows
SENDERS = 8  # calls at a time of a bulk
PAUSES_SECONDS = (0.2, 1.0)  # before what failed within a batch is tried again
GROUP_ID = re.compile(r"[!-~]{1,128}")
HELD = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesDelayed")  # fmt: skip
# The message was done by someone else or its time ran out: nothing is left to do for this receiver.
GONE = re.compile(r"ReceiptHandleIsInvalid|MessageNotInflight|InvalidParameterValue")


class SqsQueue:
    """boto3 is loaded on first use: an API function that only reads never does."""

    def __init__(self, options: Queue, *, region: str) -> None:
        self._options = options
        self._region = region
        self._making = threading.Lock()
        self._made_client: SQSClient | None = None
        self._made_directory: SqsDirectory | None = None
        self._closed = threading.Event()
        self._polls = SqsPolls(partial(self._poll, limit=1), self._give_back)

    def send(self, messages: Sequence[Message]) -> None:
        """In tens, several at a time. What a failed call has sent before stays sent: doubles are harmless."""
        calls = [
            partial(self._batch, "send_message_batch", queue, [_entry(message) for message in ten])
            for queue, ten in _tens(messages, lambda message: message.queue)
        ]
        _side_by_side(calls)

    def receive(self, queues: Sequence[str], *, limit: int, wait_seconds: float) -> list[Delivery]:
        """A quick look in the given order first, so that the fast lanes are served before the others."""
        present = [queue for queue in dict.fromkeys(queues) if self._directory.exists(queue)]
        for queue in present:
            if taken := self._poll(queue, 0, limit=min(limit, BATCH)):
                return taken
        if present:
            return self._polls.wait(present, seconds=wait_seconds)
        self._closed.wait(wait_seconds)
        return []

    def extend(self, deliveries: Sequence[Delivery]) -> None:
        self._change_visibility(deliveries, self._options.visibility_seconds)

    def done(self, deliveries: Sequence[Delivery]) -> None:
        for queue, ten in _tens(deliveries, lambda delivery: delivery.message.queue):
            self._batch("delete_message_batch", queue, [{"ReceiptHandle": item.receipt} for item in ten])

    def retry_later(self, delivery: Delivery, *, delay_seconds: float) -> None:
        self._change_visibility([delivery], min(ceil(delay_seconds), LONGEST_VISIBILITY_SECONDS))

    def depth(self, queues: Sequence[str]) -> dict[str, int]:
        return {queue: self._held(queue) if self._directory.exists(queue) else 0 for queue in queues}

    def check(self) -> None:
        self._held(NOTIFY_QUEUE)

    def wake(self) -> None:
        self._closed.set()
        self._polls.close()

    @property
    def _client(self) -> SQSClient:
        with self._making:
            if self._made_client is None:
                with outages():
                    self._made_client = sqs_client(self._options, region=self._region)
            return self._made_client

    @property
    def _directory(self) -> SqsDirectory:
        client = self._client
        with self._making:
            if self._made_directory is None:
                self._made_directory = SqsDirectory(client, self._options)
            return self._made_directory

    def _poll(self, queue: str, seconds: int, *, limit: int) -> list[Delivery]:
        answer = self._call(
            "receive_message",
            queue,
            MaxNumberOfMessages=limit,
            WaitTimeSeconds=seconds,
            VisibilityTimeout=self._options.visibility_seconds,
            MessageSystemAttributeNames=["ApproximateReceiveCount"],
        )
        return list(_deliveries(queue, answer.get("Messages", ())))

    def _give_back(self, deliveries: Sequence[Delivery]) -> None:
        """For the next receiver, here or elsewhere; where even this fails, its time runs out by itself."""
        try:
            self._change_visibility(deliveries, 0)
        except Unavailable as error:
            logs.warning("message not given back", error=type(error).__name__, reason=error.message)

    def _change_visibility(self, deliveries: Sequence[Delivery], seconds: int) -> None:
        for queue, ten in _tens(deliveries, lambda delivery: delivery.message.queue):
            entries = [{"ReceiptHandle": item.receipt, "VisibilityTimeout": seconds} for item in ten]
            self._batch("change_message_visibility_batch", queue, entries)

    def _held(self, queue: str) -> int:
        answer = self._call("get_queue_attributes", queue, AttributeNames=list(HELD))
        return sum(int(answer["Attributes"][name]) for name in HELD)

    def _batch(self, operation: str, queue: str, entries: list[Entry]) -> None:
        """Each entry of a batch succeeds or fails alone; the failed ones are tried again."""
        entries = [{"Id": str(place)} | entry for place, entry in enumerate(entries)]
        for pause in (*PAUSES_SECONDS, None):
            answer = self._call(operation, queue, Entries=entries)
            failed = {item["Id"]: item["Code"] for item in answer.get("Failed", ())}
            entries = [
                entry
                for entry in entries
                if entry["Id"] in failed
                and not ("ReceiptHandle" in entry and GONE.search(failed[entry["Id"]]))
            ]
            if not entries:
                return
            if pause is not None:
                self._closed.wait(pause)
        raise Unavailable(f"The queue did not take {len(entries)} entries: {failed[entries[0]['Id']]}.")

    def _call(self, operation: str, queue: str, **arguments: Any) -> dict[str, Any]:
        """A queue that vanished, as all do when an emulator restarts, is looked up or made once more."""
        call = getattr(self._client, operation)
        with outages():
            try:
                answer: dict[str, Any] = call(QueueUrl=self._directory.url(queue), **arguments)
            except self._client.exceptions.QueueDoesNotExist:
                self._directory.forget(queue)
                answer = call(QueueUrl=self._directory.url(queue), **arguments)
        return answer


def _entry(message: Message) -> Entry:
    """Standard queues share fairly between message groups: one user's thousand jobs do not block others."""
    entry: Entry = {"MessageBody": encode(message)}
    if message.delay_seconds > 0:
        entry["DelaySeconds"] = min(ceil(message.delay_seconds), LONGEST_DELAY_SECONDS)
    if message.user_id:
        entry["MessageGroupId"] = _group_id(message.user_id)
    return entry


def _group_id(user_id: str) -> str:
    """SQS takes printable ASCII only; any other id is known by its digest."""
    return user_id if GROUP_ID.fullmatch(user_id) else hashlib.sha256(user_id.encode()).hexdigest()


def _deliveries(queue: str, messages: Iterable[Any]) -> Iterator[Delivery]:
    for item in messages:
        try:
            message = decode(queue, item["Body"])
        except ValueError as error:
            # Left where it is: after max_deliveries it lies with the dead letters, for someone to look at.
            logs.warning(
                "message is none of ours", queue=queue, id=item["MessageId"], reason=str(error)[:200]
            )
            continue
        count = int(item["Attributes"]["ApproximateReceiveCount"])
        yield Delivery(message=message, receipt=item["ReceiptHandle"], deliveries=count)


def _tens(items: Sequence[Item], queue_of: Callable[[Item], str]) -> Iterator[tuple[str, list[Item]]]:
    for queue, group in groupby(sorted(items, key=queue_of), key=queue_of):
        members = list(group)
        for start in range(0, len(members), BATCH):
            yield queue, members[start : start + BATCH]


def _side_by_side(calls: Sequence[Callable[[], None]]) -> None:
    """After the first failure no further call is begun."""
    if len(calls) < 2:
        for call in calls:
            call()
        return
    with ThreadPoolExecutor(min(SENDERS, len(calls)), thread_name_prefix="send") as pool:
        try:
            for begun in [pool.submit(call) for call in calls]:
                begun.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
