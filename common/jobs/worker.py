"""The worker: receives hints, claims jobs, runs each in a slot, and keeps leases alive with one pulse."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from pymongo.errors import PyMongoError

from common import logs
from common.errors import SecretaryError
from common.jobs.hint import look_again_after
from common.jobs.lifecycle import JobStatus
from common.jobs.runner import Runner
from common.jobs.slot import RunState, Slot
from common.jobs.store import Pulse, Run
from common.processing.registry import job_types
from common.queue.base import BATCH_ARCHIVE, HIGH_PRIORITY, Delivery, queue_for
from common.services import Services
from common.webhooks.progress import ProgressEvents

PULSE_SECONDS = 1.0  # progress is written, and cancels are noticed, at most this late
PAUSE_SECONDS = 1.0  # after MongoDB or the queue did not answer
FAULTS = (PyMongoError, SecretaryError)


class Worker:
    """Stops on `stop()`: no new claim; what runs gets its grace time, then is handed back."""

    def __init__(self, services: Services, worker_id: str) -> None:
        self._services = services
        self._worker_id = worker_id
        self._runner = Runner(services)
        self._progress_events = ProgressEvents(services)
        self._options = services.settings.generic_worker
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._running: dict[str, tuple[RunState, Delivery]] = {}

    def work(self) -> None:
        """Returns when every slot has ended."""
        slots = [self._thread(self._slot_loop, f"slot-{n}") for n in range(self._options.max_concurrent)]
        pulse = self._thread(self._pulse_loop, "pulse")
        for slot in slots:
            slot.join()
        pulse.join()

    def stop(self) -> None:
        self._stopping.set()
        self._services.queue.wake()

    def _thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name)
        thread.start()
        return thread

    def _slot_loop(self) -> None:
        slot = Slot(self._services.settings.jobs)
        slot.warm_up()
        try:
            while not self._stopping.is_set():
                self._survive(lambda: self._take_one(slot))
        finally:
            slot.close()

    def _take_one(self, slot: Slot) -> None:
        queues = self._open_queues()
        wait = self._options.poll_interval_sec
        if not queues:
            self._stopping.wait(min(wait, PAUSE_SECONDS))
            return
        for delivery in self._services.queue.receive(queues, limit=1, wait_seconds=wait):
            self._work_on(delivery, slot)

    def _open_queues(self) -> Sequence[str]:
        """Fast lanes first; a type that already runs as often as it may is left out."""
        limits = self._options.max_concurrent_per_type
        with self._lock:
            busy = [state.job.job_type for state, _ in self._running.values()]
        names = [
            name
            for name in (*job_types(), BATCH_ARCHIVE)
            if busy.count(name) < limits.get(name, self._options.max_concurrent)
        ]
        return [queue_for(name, priority) for priority in (HIGH_PRIORITY, 0) for name in names]

    def _work_on(self, delivery: Delivery, slot: Slot) -> None:
        job = self._services.jobs.claim(delivery.message.subject_id, self._worker_id)
        if job is None:
            self._pass_over(delivery)
            return
        logs.info("job started", job_id=job.job_id, attempt=job.attempt, job_type=job.job_type)
        state = RunState(job=job)
        with self._lock:
            self._running[job.job_id] = (state, delivery)
        try:
            self._runner.run(state, slot)
        finally:
            with self._lock:
                del self._running[job.job_id]
        self._services.queue.done([delivery])

    def _pass_over(self, delivery: Delivery) -> None:
        seconds = look_again_after(self._services, delivery.message.subject_id)
        if seconds is None:
            self._services.queue.done([delivery])
        else:
            self._services.queue.retry_later(delivery, delay_seconds=seconds)

    def _pulse_loop(self) -> None:
        """Ends when the slots have; on a stop it gives them their grace time first."""
        deadline: float | None = None
        beat = 0.0
        while not self._stopping.is_set() or self._running:
            started = time.monotonic()
            is_beat = started - beat >= self._services.settings.jobs.heartbeat_seconds
            beat = started if is_beat else beat
            self._survive(partial(self._pulse, everything=is_beat))
            if self._stopping.is_set():
                deadline = deadline or started + self._services.settings.jobs.grace_seconds
                if started >= deadline:
                    self._stop_all("shutdown")
                time.sleep(0.1)
            else:
                self._stopping.wait(max(PULSE_SECONDS - (time.monotonic() - started), 0.05))

    def _pulse(self, *, everything: bool) -> None:
        with self._lock:
            running = dict(self._running)
        self._progress_events.forget_all_but(set(running))
        if not running:
            return
        pulses = []
        for state, _ in running.values():
            progress, lines = state.take_news()
            if everything or progress or lines:
                run = Run(job_id=state.job.job_id, attempt=state.job.attempt, worker_id=self._worker_id)
                pulses.append(Pulse(run=run, progress=progress, logs=lines))
                self._progress_events.tell(state.job, progress)
        if pulses:
            self._services.jobs.pulse(pulses)
        if everything:
            self._services.queue.extend([delivery for _, delivery in running.values()])
        self._notice_stops(running)

    def _notice_stops(self, running: dict[str, tuple[RunState, Delivery]]) -> None:
        states = self._services.jobs.states(running)
        for job_id, (state, _) in running.items():
            attempt, status, cancelled = states.get(job_id, (0, JobStatus.CANCELLED, False))
            if attempt != state.job.attempt or status != JobStatus.PROCESSING:
                state.stop = "lost"
            elif cancelled:
                state.stop = "cancelled"

    def _stop_all(self, reason: str) -> None:
        with self._lock:
            for state, _ in self._running.values():
                state.stop = state.stop or reason

    def _survive(self, act: Callable[[], None]) -> None:
        """An outage of MongoDB or the queue is waited out; the leases see to what was running."""
        try:
            act()
        except FAULTS as error:
            logs.warning("worker waits", error=type(error).__name__, reason=str(error)[:200])
            self._stopping.wait(PAUSE_SECONDS)
