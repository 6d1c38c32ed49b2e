"""Receives hints that deliveries are due and makes the attempts, apart from all jobs: a slow or dead
receiver delays other webhooks for a while, and no job at all."""

from __future__ import annotations

import threading
from typing import Any

from common import logs
from common.jobs.database import FAULTS
from common.outbound.client import Outbound
from common.outbound.policy import policy_of
from common.queue.base import NOTIFY_QUEUE
from common.queue.event import Failures, each_message
from common.services import Services
from common.webhooks.deliver import deliver

PAUSE_SECONDS = 1.0  # after MongoDB or the queue did not answer


class Notifier:
    """A few threads with a queue connection of their own; stops on `stop()`."""

    def __init__(self, services: Services) -> None:
        self._services = services.with_own_queue()
        self._outbound = Outbound(policy_of(services.settings.outbound))
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number in range(self._services.settings.webhooks.threads):
            thread = threading.Thread(target=self._loop, name=f"notify-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Attempts that still run are made again by the sweep, should the process end before they do."""
        self._stopping.set()
        self._services.queue.wake()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            try:
                self._take_one()
            except FAULTS as error:
                logs.warning("notifier waits", error=type(error).__name__)
                self._stopping.wait(PAUSE_SECONDS)
            except Exception:  # noqa: BLE001 - its message comes again; the other webhooks must not wait
                logs.exception("notifier goes on")
                self._stopping.wait(PAUSE_SECONDS)

    def _take_one(self) -> None:
        wait = self._services.settings.generic_worker.poll_interval_sec
        for delivery in self._services.queue.receive([NOTIFY_QUEUE], limit=1, wait_seconds=wait):
            deliver(self._services, self._outbound, delivery.message.subject_id)
            self._services.queue.done([delivery])


def notify_event(services: Services, event: dict[str, Any]) -> Failures:
    """The deliveries of one queue event."""
    with Outbound(policy_of(services.settings.outbound)) as outbound:
        return each_message(
            event,
            lambda delivery_id: deliver(services, outbound, delivery_id),
            queue=services.queue,
            prefix=services.settings.queue.sqs_prefix,
        )
