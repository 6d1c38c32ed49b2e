"""The worker: takes jobs in, runs each in a slot, writes their ends, and keeps their leases alive."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from common import logs
from common.errors import ProcessorCrashed
from common.jobs.database import FAULTS
from common.jobs.finisher import Finisher
from common.jobs.flights import Flight, Flights
from common.jobs.heart import PULSE_SECONDS, Heart
from common.jobs.intake import Intake
from common.jobs.runner import Answer, Runner
from common.jobs.slot import Slot
from common.services import Services

PAUSE_SECONDS = 1.0  # after MongoDB or the queue did not answer
STOP_POLL_SECONDS = 0.1


class Worker:
    """Stops on `stop()`: no new claim; what runs gets its grace time, then is handed back."""

    def __init__(self, services: Services, worker_id: str) -> None:
        self._services = services
        self._flights = Flights()
        self._runner = Runner(services)
        self._intake = Intake(services, worker_id, self._flights)
        self._finisher = Finisher(services, self._runner, self._flights)
        self._heart = Heart(services, self._flights)
        self._claimed: queue.SimpleQueue[Flight | None] = queue.SimpleQueue()
        self._room = threading.Event()  # a slot may have become free
        self._stopping = threading.Event()
        self._done = threading.Event()

    def work(self) -> None:
        """Returns when nothing is left in its hands."""
        count = self._services.settings.generic_worker.max_concurrent
        slots = [_thread(self._run_slot, f"slot-{number}") for number in range(count)]
        finisher = _thread(self._finisher.work, "finisher")
        heart = _thread(self._keep_alive, "heart")
        while not self._stopping.is_set():
            self._survive(self._take_in)
        self._hand_back_waiting()
        for _ in slots:
            self._claimed.put(None)
        for slot in slots:
            slot.join()
        self._finisher.close()
        finisher.join()
        self._done.set()
        heart.join()

    def stop(self) -> None:
        self._stopping.set()
        self._services.queue.wake()
        self._room.set()

    def _take_in(self) -> None:
        self._room.clear()
        wait = self._services.settings.generic_worker.poll_interval_sec
        taken = self._intake.take(wait_seconds=wait)
        if taken is None:
            self._room.wait(wait)
            return
        for flight in taken:
            self._claimed.put(flight)

    def _hand_back_waiting(self) -> None:
        """Jobs that were claimed ahead and have not begun."""
        while True:
            try:
                flight = self._claimed.get_nowait()
            except queue.Empty:
                return
            if flight is not None:
                self._finisher.put(flight, {"stopped": "shutdown"})

    def _run_slot(self) -> None:
        slot = Slot(self._services.settings.jobs)
        slot.warm_up()
        try:
            while (flight := self._claimed.get()) is not None:
                began = time.monotonic()
                answer = self._run(flight, slot)
                self._intake.measure(flight.state.job.job_type, time.monotonic() - began)
                self._finisher.put(flight, answer)
                self._room.set()
        finally:
            slot.close()

    def _run(self, flight: Flight, slot: Slot) -> Answer:
        try:
            return self._runner.run(flight.state, slot)
        except Exception as error:  # noqa: BLE001 - whatever it was, the slot goes on
            logs.exception("slot failed", job_id=flight.run.job_id)
            fault = ProcessorCrashed(f"The job could not be run ({type(error).__name__}).")
            return {"failed": fault.as_dict(), "retryable": True, "retry_after": None}

    def _keep_alive(self) -> None:
        """Until the last end is written; on a stop those that run get their grace time first."""
        deadline: float | None = None
        while not self._done.is_set():
            self._survive(self._heart.beat)
            if not self._stopping.is_set():
                self._stopping.wait(PULSE_SECONDS)
                continue
            deadline = deadline or time.monotonic() + self._services.settings.jobs.grace_seconds
            if time.monotonic() >= deadline:
                self._flights.stop_all("shutdown")
            self._done.wait(STOP_POLL_SECONDS)

    def _survive(self, act: Callable[[], None]) -> None:
        """An outage of MongoDB or the queue is waited out; the leases see to what was running."""
        try:
            act()
        except FAULTS as error:
            logs.warning("worker waits", error=type(error).__name__, reason=str(error)[:200])
            self._stopping.wait(PAUSE_SECONDS)
        except Exception:  # noqa: BLE001 - a thread that ended here would leave all jobs without a heart
            logs.exception("worker goes on")
            self._stopping.wait(PAUSE_SECONDS)


def _thread(target: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=target, name=name)
    thread.start()
    return thread
