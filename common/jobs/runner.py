"""One claimed job from start to a written end: run it in a slot, map what came back, tell the batch."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from common import logs
from common.errors import ProcessorCrashed
from common.jobs.announce import announce_jobs
from common.jobs.ending import cancelled_error, job_ended, keep_completed_seconds, keep_failed_seconds
from common.jobs.model import Job
from common.jobs.slot import RunState, Slot
from common.jobs.store import Run
from common.services import Services
from common.settings import Jobs
from common.webhooks.publish import publish_job

COMPLETED = {"step": "completed", "percent": 100, "message": "", "eta_seconds": 0}

Settle = Callable[[Run, dict[str, Any]], bool]


class Runner:
    """Knows what each outcome means for the job's document; every write is behind the run's fence."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.jobs
        self._options = services.settings.jobs

    def run(self, state: RunState, slot: Slot) -> None:
        job = state.job
        if job.outbox:
            publish_job(self._services, job.job_id)
        if job.tries > job.max_attempts:
            answer = self._out_of_attempts(job)
        else:
            answer = slot.run(state, self._order(job))
        self.settle(state, answer)

    def settle(self, state: RunState, answer: dict[str, Any]) -> None:
        job = state.job
        run = Run(job_id=job.job_id, attempt=job.attempt, worker_id=job.worker_id or "")
        outcome: str = next(name for name in ("completed", "failed", "continue", "stopped") if name in answer)
        written = getattr(self, f"_{outcome}")(run, state, answer)
        if not written and self._cancelled(run):
            written, outcome = True, "cancelled"
        logs.info("job ended" if written else "late result refused", job_id=job.job_id, attempt=job.attempt,
                  outcome=outcome)  # fmt: skip
        if written:
            job_ended(self._services, job)

    def _order(self, job: Job) -> dict[str, Any]:
        known = {
            "job_id": job.job_id,
            "job_type": job.job_type,
            "job_name": job.job_name,
            "user_id": job.user_id,
            "attempt": job.attempt,
            "parameters": job.parameters,
            "checkpoint": job.checkpoint,
        }
        return {"job": known, "slice_seconds": self._options.slice_seconds}

    def _completed(self, run: Run, state: RunState, answer: dict[str, Any]) -> bool:
        _, lines = state.take_news()
        return self._store.complete(
            run,
            **answer["completed"],
            progress=COMPLETED,
            logs=lines,
            expires_after=keep_completed_seconds(self._services),
        )

    def _failed(self, run: Run, state: RunState, answer: dict[str, Any]) -> bool:
        error, job = answer["failed"], state.job
        _, lines = state.take_news()
        line = {"level": "error", "message": f"{error['code']}: {error['message']}"}
        if answer["retryable"] and job.tries < job.max_attempts:
            delay = max(backoff(job.tries, self._options), answer["retry_after"] or 0)
            if not self._store.retry(run, error=error, delay_seconds=delay, logs=[*lines, line]):
                return False
            announce_jobs(self._services, [job], delay_seconds=delay)
            return True
        keep = keep_failed_seconds(self._services)
        return self._store.fail(run, error=error, expires_after=keep, logs=[*lines, line])

    def _continue(self, run: Run, state: RunState, answer: dict[str, Any]) -> bool:
        used = self._options.slice_seconds or 0.0
        handed = self._store.hand_on(run, checkpoint=answer["continue"], used_seconds=used)
        if handed:
            announce_jobs(self._services, [state.job])
        return handed

    def _stopped(self, run: Run, state: RunState, answer: dict[str, Any]) -> bool:
        if answer["stopped"] != "shutdown":
            return False  # cancelled is settled by the caller; a lost lease has nothing left to write
        handed = self._store.hand_back(run)
        if handed:
            announce_jobs(self._services, [state.job])
        return handed

    def _cancelled(self, run: Run) -> bool:
        keep = keep_failed_seconds(self._services)
        return self._store.cancel_run(run, error=cancelled_error(), expires_after=keep)

    @staticmethod
    def _out_of_attempts(job: Job) -> dict[str, Any]:
        """The worker died in every attempt: nobody was left to say why."""
        message = f"The worker died in each of {job.max_attempts} attempts at this job."
        error = ProcessorCrashed(message)
        return {"failed": error.as_dict(), "retryable": False, "retry_after": None}


def backoff(tries: int, options: Jobs) -> float:
    """Four times longer each time, with jitter so that many failures do not come back together."""
    longest = min(options.backoff_seconds * 4.0 ** (tries - 1), options.backoff_max_seconds)
    return longest * random.uniform(0.75, 1.25)  # noqa: S311 - jitter, not a secret
