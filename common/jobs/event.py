"""Use-case of the process function: runs the jobs of one queue event, one after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from common import logs
from common.clock import new_id
from common.jobs.database import FAULTS
from common.jobs.flights import Flight, Flights
from common.jobs.heart import PULSE_SECONDS, Heart
from common.jobs.hint import look_again_after
from common.jobs.runner import Runner
from common.jobs.slot import RunState, Slot
from common.queue.event import Failures, each_message
from common.services import Services
from common.settings import Jobs


class WarmSlots:
    """Slots with their child processes, kept between events: a function that is called again at once
    does not start Python anew. Each is used by one event at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Slot] = []

    @contextmanager
    def one(self, options: Jobs) -> Iterator[Slot]:
        with self._lock:
            slot = self._idle.pop() if self._idle else Slot(options)
        try:
            yield slot
        finally:
            with self._lock:
                self._idle.append(slot)

    def close(self) -> None:
        with self._lock:
            while self._idle:
                self._idle.pop().close()


@lru_cache(maxsize=1)
def warm_slots() -> WarmSlots:
    """Those of this process."""
    return WarmSlots()


def process_event(services: Services, event: dict[str, Any]) -> Failures:
    with warm_slots().one(services.settings.jobs) as slot:
        return each_message(
            event,
            lambda job_id: _process(services, job_id, slot),
            queue=services.queue,
            prefix=services.settings.queue.sqs_prefix,
        )


def _process(services: Services, job_id: str, slot: Slot) -> float | None:
    """Seconds keep the message: the job is held elsewhere, or not due yet."""
    job = services.jobs.claim(job_id, new_id("worker"))
    if job is None:
        return look_again_after(services, job_id)
    runner, state = Runner(services), RunState(job=job)
    with _kept_alive(services, state):
        answer = runner.run(state, slot)
    runner.settle([(state, answer)])
    return None


@contextmanager
def _kept_alive(services: Services, state: RunState) -> Iterator[None]:
    flights, ended = Flights(), threading.Event()
    flights.add(Flight(state=state))
    pulse = threading.Thread(target=_pulse, args=(Heart(services, flights), ended), daemon=True)
    pulse.start()
    try:
        yield
    finally:
        ended.set()
        pulse.join()


def _pulse(heart: Heart, ended: threading.Event) -> None:
    """An outage is waited out: if it outlasts the lease, the fence refuses what comes after."""
    while not ended.wait(PULSE_SECONDS):
        try:
            heart.beat()
        except FAULTS as error:
            logs.warning("pulse missed", error=type(error).__name__)
