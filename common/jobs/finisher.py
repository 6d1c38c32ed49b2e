"""Writes the ends of runs beside the slots, so that a slot takes its next job meanwhile. What gathers while
one write is on its way goes with the next: many ends, one flush of the journal."""

from __future__ import annotations

import queue
import threading
import time

from common import logs
from common.jobs.database import FAULTS
from common.jobs.flights import Flight, Flights
from common.jobs.runner import Answer, Runner
from common.services import Services

MOST_AT_ONCE = 50
GATHER_SECONDS = 0.02  # while jobs end in a stream, the ends of this time are written together
PAUSE_SECONDS = 1.0  # after MongoDB did not answer

Ended = tuple[Flight, Answer]


class Finisher:
    """`work` runs in one thread, until `close` and then the end of what was put before."""

    def __init__(self, services: Services, runner: Runner, flights: Flights) -> None:
        self._services = services
        self._runner = runner
        self._flights = flights
        self._ended: queue.SimpleQueue[Ended | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._write_at = 0.0

    def put(self, flight: Flight, answer: Answer) -> None:
        self._ended.put((flight, answer))

    def close(self) -> None:
        self._closing.set()
        self._ended.put(None)

    def work(self) -> None:
        while (first := self._ended.get()) is not None:
            self._closing.wait(max(self._write_at - time.monotonic(), 0.0))
            self._finish(self._with_more(first))
            self._write_at = time.monotonic() + GATHER_SECONDS

    def _with_more(self, first: Ended) -> list[Ended]:
        found = [first]
        while len(found) < MOST_AT_ONCE:
            try:
                more = self._ended.get_nowait()
            except queue.Empty:
                break
            if more is None:
                self._ended.put(None)
                break
            found.append(more)
        return found

    def _finish(self, ended: list[Ended]) -> None:
        """An outage is waited out while the work is worth it: the fence decides whether it still counts."""
        give_up = time.monotonic() + self._services.settings.jobs.lease_seconds
        while True:
            try:
                self._runner.settle([(flight.state, answer) for flight, answer in ended])
                self._services.queue.done([flight.delivery for flight, _ in ended if flight.delivery])
                break
            except FAULTS as error:
                logs.warning("ends wait to be written", count=len(ended), error=type(error).__name__)
                if time.monotonic() > give_up or self._closing.wait(PAUSE_SECONDS):
                    break  # their leases end, and others take the jobs over
            except Exception:  # noqa: BLE001 - whatever it was, the ends of other jobs must be written
                logs.exception("ends given up", count=len(ended))
                break
        for flight, _ in ended:
            self._flights.remove(flight)
