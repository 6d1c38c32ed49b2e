"""Use-case of the process function: a queue event in SQS form, message by message, partial answers."""

from __future__ import annotations

import json
import threading
from typing import Any

from common import logs
from common.clock import new_id
from common.errors import BadRequest
from common.jobs.model import Job
from common.jobs.runner import Runner
from common.jobs.slot import RunState, Slot
from common.jobs.store import Pulse, Run
from common.services import Services

Failures = dict[str, list[dict[str, str]]]


def process_event(services: Services, event: dict[str, Any]) -> Failures:
    """`batchItemFailures` names the messages that the queue must deliver again."""
    records = event.get("Records")
    if not isinstance(records, list):
        raise BadRequest("Expected an event with Records, as SQS sends it.")
    slot = Slot(services.settings.jobs)
    try:
        failed = [record["messageId"] for record in records if not _process(services, record, slot)]
    finally:
        slot.close()
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _process(services: Services, record: dict[str, Any], slot: Slot) -> bool:
    """False keeps the message: the job is held elsewhere, or not due yet."""
    try:
        job_id = json.loads(record["body"])["job_id"]
    except (KeyError, TypeError, ValueError):
        logs.warning("message without a job id", message_id=record.get("messageId"))
        return True
    worker_id = new_id("worker")
    job = services.jobs.claim(job_id, worker_id)
    if job is None:
        known = services.jobs.get(job_id)
        return known is None or known.is_final or known.paused
    state = RunState(job=job)
    ended = threading.Event()
    pulse = threading.Thread(target=_pulse, args=(services, state, worker_id, ended), daemon=True)
    pulse.start()
    try:
        Runner(services).run(state, slot)
    finally:
        ended.set()
        pulse.join()
    return True


def _pulse(services: Services, state: RunState, worker_id: str, ended: threading.Event) -> None:
    job: Job = state.job
    run = Run(job_id=job.job_id, attempt=job.attempt, worker_id=worker_id)
    while not ended.wait(1.0):
        progress, lines = state.take_news()
        services.jobs.pulse([Pulse(run=run, progress=progress, logs=lines)])
        attempt, _, cancelled = services.jobs.states([job.job_id])[job.job_id]
        if attempt != job.attempt:
            state.stop = "lost"
        elif cancelled:
            state.stop = "cancelled"
