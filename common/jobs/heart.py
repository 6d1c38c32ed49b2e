"""Keeps the leases and messages of running jobs alive, writes their progress, and notices their stops."""

from __future__ import annotations

import time

from common.jobs.database import OUTAGES
from common.jobs.flights import Flight, Flights
from common.jobs.lifecycle import JobStatus
from common.jobs.store import Pulse
from common.services import Services
from common.webhooks.progress import ProgressEvents

PULSE_SECONDS = 1.0  # progress is written, and cancels are noticed, at most this late
GONE = (0, JobStatus.CANCELLED, False)  # the state of a job that was deleted while it ran


class Heart:
    """One write and one read for all jobs of a worker; used by one thread."""

    def __init__(self, services: Services, flights: Flights) -> None:
        self._services = services
        self._flights = flights
        self._progress_events = ProgressEvents(services)
        self._last_beat = 0.0

    def beat(self) -> None:
        """Those with news each time; all of them as often as their leases need it."""
        now = time.monotonic()
        is_due = now - self._last_beat >= self._services.settings.jobs.heartbeat_seconds
        flights = self._flights.all()
        self._progress_events.forget_all_but({flight.run.job_id for flight in flights})
        if not flights:
            return
        self._pulse(flights, everything=is_due)
        if is_due:
            self._services.queue.extend([flight.delivery for flight in flights if flight.delivery])
            self._last_beat = now
        self._notice_stops(flights)

    def _pulse(self, flights: list[Flight], *, everything: bool) -> None:
        pulses, states = [], []
        for flight in flights:
            progress, lines = flight.state.take_news()
            if everything or progress or lines:
                caches = flight.state.known_caches()
                pulses.append(Pulse(run=flight.run, progress=progress, logs=lines, caches=caches))
                states.append(flight.state)
                self._progress_events.tell(flight.state.job, progress)
        if not pulses:
            return
        try:
            self._services.jobs.pulse(pulses)
        except OUTAGES:  # after any other fault they would be refused again
            for state, pulse in zip(states, pulses, strict=True):
                state.give_back(pulse.progress, tuple(pulse.logs))
            raise

    def _notice_stops(self, flights: list[Flight]) -> None:
        states = self._services.jobs.states([flight.run.job_id for flight in flights])
        for flight in flights:
            attempt, status, cancelled = states.get(flight.run.job_id, GONE)
            if attempt != flight.run.attempt or status != JobStatus.PROCESSING:
                flight.state.stop = "lost"
            elif cancelled:
                flight.state.stop = "cancelled"
