"""Waiting on many SQS queues at once: one open long poll per queue, shared by all receivers of a process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil

from common.queue.base import Delivery
from common.queue.sqs_client import LONGEST_POLL_SECONDS

Poll = Callable[[str, int], list[Delivery]]  # queue, seconds
GiveBack = Callable[[list[Delivery]], None]


@dataclass
class _Receiver:
    """One thread that waits."""

    queues: Sequence[str]
    taken: list[Delivery] = field(default_factory=list)
    error: Exception | None = None

    @property
    def is_served(self) -> bool:
        return bool(self.taken) or self.error is not None


class SqsPolls:
    """A message that arrives after its receiver has found another one is given back at once."""

    def __init__(self, poll: Poll, give_back: GiveBack) -> None:
        self._poll = poll
        self._give_back = give_back
        self._changed = threading.Condition()
        self._open: set[str] = set()
        self._receivers: list[_Receiver] = []
        self._closed = False

    def wait(self, queues: Sequence[str], *, seconds: float) -> list[Delivery]:
        """What comes first on any of these queues, or nothing when the time is up or we are closed."""
        receiver = _Receiver(queues)
        deadline = time.monotonic() + seconds
        with self._changed:
            self._receivers.append(receiver)
            try:
                while not receiver.is_served and not self._closed:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        break
                    self._open_polls(queues, left)
                    self._changed.wait(left)
            finally:
                self._receivers.remove(receiver)
        if receiver.error and not receiver.taken:
            raise receiver.error
        return receiver.taken

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _open_polls(self, queues: Sequence[str], left: float) -> None:
        seconds = min(max(ceil(left), 1), LONGEST_POLL_SECONDS)
        for queue in queues:
            if queue not in self._open:
                self._open.add(queue)
                # No daemon: an open poll that is torn down may take a message with it.
                threading.Thread(target=self._run, args=(queue, seconds), name=f"poll-{queue}").start()

    def _run(self, queue: str, seconds: int) -> None:
        found: list[Delivery] = []
        error: Exception | None = None
        try:
            found = self._poll(queue, seconds)
        except Exception as fault:  # noqa: BLE001 - raised again in the thread that waits
            error = fault
        with self._changed:
            self._open.discard(queue)
            waiting = [item for item in self._receivers if queue in item.queues and not item.is_served]
            if error:
                for receiver in waiting:
                    receiver.error = error
            elif found and waiting:
                waiting[0].taken, found = found, []
            self._changed.notify_all()
        if found:
            self._give_back(found)
