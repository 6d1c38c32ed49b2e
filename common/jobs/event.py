"""Use-case of the process function: runs the jobs of one queue event, one after the other."""

from __future__ import annotations

import threading
from typing import Any

from pymongo.errors import PyMongoError

from common import logs
from common.clock import new_id
from common.jobs.hint import look_again_after
from common.jobs.lifecycle import JobStatus
from common.jobs.runner import Runner
from common.jobs.slot import RunState, Slot
from common.jobs.store import Pulse, Run
from common.queue.event import Failures, each_message
from common.services import Services

PULSE_SECONDS = 1.0
GONE = (0, JobStatus.CANCELLED, False)  # the state of a job that was deleted while it ran


def process_event(services: Services, event: dict[str, Any]) -> Failures:
    slot = Slot(services.settings.jobs)
    try:
        return each_message(
            event,
            lambda job_id: _process(services, job_id, slot),
            queue=services.queue,
            prefix=services.settings.queue.sqs_prefix,
        )
    finally:
        slot.close()


def _process(services: Services, job_id: str, slot: Slot) -> float | None:
    """Seconds keep the message: the job is held elsewhere, or not due yet."""
    worker_id = new_id("worker")
    job = services.jobs.claim(job_id, worker_id)
    if job is None:
        return look_again_after(services, job_id)
    state = RunState(job=job)
    ended = threading.Event()
    pulse = threading.Thread(target=_pulse, args=(services, state, worker_id, ended), daemon=True)
    pulse.start()
    try:
        Runner(services).run(state, slot)
    finally:
        ended.set()
        pulse.join()
    return None


def _pulse(services: Services, state: RunState, worker_id: str, ended: threading.Event) -> None:
    """An outage is waited out: if it outlasts the lease, the fence refuses what comes after."""
    run = Run(job_id=state.job.job_id, attempt=state.job.attempt, worker_id=worker_id)
    while not ended.wait(PULSE_SECONDS):
        try:
            _beat(services, state, run)
        except PyMongoError as error:
            logs.warning("pulse missed", job_id=run.job_id, error=type(error).__name__)


def _beat(services: Services, state: RunState, run: Run) -> None:
    progress, lines = state.take_news()
    services.jobs.pulse([Pulse(run=run, progress=progress, logs=lines)])
    attempt, status, cancelled = services.jobs.states([run.job_id]).get(run.job_id, GONE)
    if attempt != run.attempt or status != JobStatus.PROCESSING:
        state.stop = "lost"
    elif cancelled:
        state.stop = "cancelled"
