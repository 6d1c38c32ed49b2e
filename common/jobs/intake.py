"""Receives hints and claims the jobs behind them: as many as the slots can take at once, and a few more
while jobs are short, so that no slot waits for the database between two of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from common import logs
from common.jobs.database import FAULTS
from common.jobs.flights import Flight, Flights
from common.jobs.hint import look_again_after
from common.jobs.slot import RunState
from common.processing.registry import job_types
from common.queue.base import BATCH_ARCHIVE, HIGH_PRIORITY, Delivery, queue_for
from common.services import Services

AHEAD_SECONDS = 0.25  # a claimed job never waits longer than about this for its slot
MOST_AHEAD = 16
GATHER_SECONDS = 0.02  # while jobs come in a stream, those of this time are taken together
OLD_SHARE = 0.7  # of the measured pace, in the face of a new measure


class Intake:
    """Used by one thread; `measure` may be called from others."""

    def __init__(self, services: Services, worker_id: str, flights: Flights) -> None:
        self._services = services
        self._worker_id = worker_id
        self._flights = flights
        self._options = services.settings.generic_worker
        self._seconds_by_type: dict[str, float] = {}
        self._last_queue = ""
        self._turn = 0
        self._look_at = 0.0

    def measure(self, job_type: str, seconds: float) -> None:
        """A long job is believed at once, short ones only in a row."""
        known = self._seconds_by_type.get(job_type, AHEAD_SECONDS)
        self._seconds_by_type[job_type] = max(seconds, OLD_SHARE * known + (1 - OLD_SHARE) * seconds)

    def take(self, *, wait_seconds: float) -> list[Flight] | None:
        """Claimed jobs, all of one type; None when there is no room for any."""
        busy = self._flights.by_type()
        queues = self._open_queues(busy)
        limit = self._room(self._last_queue, busy)
        # Ahead of the slots, several are fetched together or none.
        if not queues or limit < max(self._ahead(self._last_queue) // 2, 1):
            return None
        time.sleep(max(self._look_at - time.monotonic(), 0.0))
        deliveries = self._services.queue.receive(queues, limit=limit, wait_seconds=wait_seconds)
        if not deliveries:
            return []
        self._look_at = time.monotonic() + (GATHER_SECONDS if len(deliveries) < limit else 0.0)
        self._last_queue = deliveries[0].message.queue
        fitting = max(self._room(self._last_queue, busy), 1)
        for delivery in deliveries[fitting:]:  # of another type than last time, whose jobs are long
            self._services.queue.retry_later(delivery, delay_seconds=0)
        return self._claim(deliveries[:fitting])

    def _room(self, queue: str, busy: Counter[str]) -> int:
        """How many jobs of this queue fit: what the slots can take, a few ahead, and no more than its type
        may run at once."""
        free = self._options.max_concurrent - busy.total()
        name = _type_of(queue)
        limits = self._options.max_concurrent_per_type
        if name in limits:
            return min(free, limits[name] - busy[name])
        return free + self._ahead(queue)

    def _claim(self, deliveries: Sequence[Delivery]) -> list[Flight]:
        by_id = {delivery.message.subject_id: delivery for delivery in deliveries}
        jobs = self._services.jobs.claim_many(list(by_id), self._worker_id)
        flights = [Flight(state=RunState(job=job), delivery=by_id.pop(job.job_id)) for job in jobs]
        for flight in flights:
            self._flights.add(flight)
            run = flight.run
            logs.info(
                "job claimed", job_id=run.job_id, attempt=run.attempt, job_type=flight.state.job.job_type
            )
        for delivery in by_id.values():
            self._pass_over(delivery)
        return flights

    def _pass_over(self, delivery: Delivery) -> None:
        """A message that cannot be put off comes again by itself; the claimed jobs do not wait for it."""
        subject_id = delivery.message.subject_id
        try:
            seconds = look_again_after(self._services, subject_id)
            if seconds is None:
                self._services.queue.done([delivery])
            else:
                self._services.queue.retry_later(delivery, delay_seconds=seconds)
        except FAULTS as error:
            logs.warning("message not put off", subject_id=subject_id, error=type(error).__name__)

    def _open_queues(self, busy: Counter[str]) -> list[str]:
        """Fast lanes first; a type that already runs as often as it may is left out. Each time another type
        goes first, so that a long queue of one does not keep the others waiting."""
        limits = self._options.max_concurrent_per_type
        known = (*job_types(), BATCH_ARCHIVE)
        self._turn = (self._turn + 1) % len(known)
        turned = known[self._turn :] + known[: self._turn]
        names = [name for name in turned if name not in limits or busy[name] < limits[name]]
        lanes = [queue_for(name, priority) for priority in (HIGH_PRIORITY, 0) for name in names]
        return list(dict.fromkeys(lanes))  # some types share a queue

    def _ahead(self, queue: str) -> int:
        """How many jobs of this queue to claim beyond the free slots."""
        seconds = self._seconds_by_type.get(_type_of(queue))
        if seconds is None:
            return 0
        return min(int(AHEAD_SECONDS / max(seconds, 0.001)) * self._options.max_concurrent, MOST_AHEAD)


def _type_of(queue: str) -> str:
    return queue.removeprefix("jobs-").removesuffix("-high")
