"""The jobs a worker holds, from the claim to the written end."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from common.jobs.slot import RunState
from common.jobs.store import Run
from common.queue.base import Delivery


@dataclass(frozen=True, kw_only=True)
class Flight:
    """One claimed job, and the message that led to it."""

    state: RunState
    delivery: Delivery | None = None

    @property
    def run(self) -> Run:
        job = self.state.job
        return Run(job_id=job.job_id, attempt=job.attempt, worker_id=job.worker_id or "")


class Flights:
    """Shared by the threads of one worker."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_id: dict[str, Flight] = {}

    def add(self, flight: Flight) -> None:
        with self._lock:
            self._by_id[flight.run.job_id] = flight

    def remove(self, flight: Flight) -> None:
        """Only this very flight: a later attempt at the same job may have taken its place."""
        with self._lock:
            if self._by_id.get(flight.run.job_id) is flight:
                del self._by_id[flight.run.job_id]

    def all(self) -> list[Flight]:
        with self._lock:
            return list(self._by_id.values())

    def by_type(self) -> Counter[str]:
        """Those that wait for a slot or run in one; what is being written holds nobody up."""
        return Counter(flight.state.job.job_type for flight in self.all() if not flight.state.has_ended)

    def stop_all(self, reason: str) -> None:
        for flight in self.all():
            flight.state.stop = flight.state.stop or reason
