"""One claimed job from start to a written end: run it in a slot, map what came back, tell the batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from common import logs, tracing
from common.errors import ProcessorCrashed
from common.jobs.announce import announce_jobs
from common.jobs.ending import cancelled_error, jobs_ended, keep_completed_seconds, keep_failed_seconds
from common.jobs.model import Job
from common.jobs.slot import RunState, Slot
from common.jobs.store import Completion, Pulse, Run
from common.jobs.unwritable import UNWRITABLE, cannot_be_stored, not_stored
from common.services import Services
from common.settings import Jobs
from common.webhooks.publish import publish_job

COMPLETED = {"step": "completed", "percent": 100, "message": "", "eta_seconds": 0}

Answer = dict[str, Any]  # what a slot says of a run: completed, failed, continue or stopped


class Runner:
    """Knows what each outcome means for the job's document; every write is behind the run's fence."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.jobs
        self._options = services.settings.jobs

    def run(self, state: RunState, slot: Slot) -> Answer:
        job = state.job
        if job.outbox:
            publish_job(self._services, job.job_id)
        if job.tries > job.max_attempts:
            answer = self._out_of_attempts(job)
        else:
            span = self._services.tracer.span
            with span(f"run {job.job_type}", parent=job.trace, job_id=job.job_id, attempt=job.attempt):
                answer = slot.run(state, self._order(job))
        state.has_ended = True
        return answer

    def settle(self, ended: Sequence[tuple[RunState, Answer]]) -> None:
        """Writes the ends of these runs. May be called again after an outage: what was written stays so.
        One that cannot be stored does not keep the others waiting: its job fails and says why."""
        try:
            self._settle(ended)
        except UNWRITABLE as error:
            if not cannot_be_stored(error):
                raise
            if len(ended) > 1:
                for one in ended:
                    self.settle([one])
                return
            ((state, _),) = ended
            logs.warning("result not stored", job_id=state.job.job_id, error=type(error).__name__)
            refused = not_stored(error).as_dict()
            self._settle([(state, {"failed": refused, "retryable": False, "retry_after": None})])

    def _settle(self, ended: Sequence[tuple[RunState, Answer]]) -> None:
        completed = [self._completion(state, answer) for state, answer in ended if "completed" in answer]
        done = self._store.complete_many(completed) if completed else set()
        outcomes = [(state.job, self._outcome(state, answer, done)) for state, answer in ended]
        for job, outcome in outcomes:
            logs.info("job ended" if outcome else "late result refused", job_id=job.job_id,
                      attempt=job.attempt, outcome=outcome)  # fmt: skip
        jobs_ended(self._services, [job for job, outcome in outcomes if outcome])

    def _outcome(self, state: RunState, answer: Answer, done: set[str]) -> str | None:
        """What was written, or None when the job was no longer ours."""
        job = state.job
        run = Run(job_id=job.job_id, attempt=job.attempt, worker_id=job.worker_id or "")
        name: str = next(name for name in ("completed", "failed", "continue", "stopped") if name in answer)
        written = job.job_id in done if name == "completed" else self._written(name, run, state, answer)
        if not written and self._cancelled(run):
            return "cancelled"
        return name if written else None

    def _written(self, name: str, run: Run, state: RunState, answer: Answer) -> bool:
        if caches := state.known_caches():
            self._store.pulse([Pulse(run=run, caches=caches)])
        write = {"failed": self._failed, "continue": self._continue, "stopped": self._stopped}[name]
        return write(run, state, answer)

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
        return {"job": known, "slice_seconds": self._options.slice_seconds, "trace": tracing.current()}

    def _completion(self, state: RunState, answer: Answer) -> Completion:
        job = state.job
        return Completion(
            run=Run(job_id=job.job_id, attempt=job.attempt, worker_id=job.worker_id or ""),
            **answer["completed"],
            cache_prefixes=state.known_caches(),
            progress=COMPLETED,
            logs=state.take_last_logs(),
            expires_after=keep_completed_seconds(self._services),
        )

    def _failed(self, run: Run, state: RunState, answer: Answer) -> bool:
        error, job = answer["failed"], state.job
        lines = state.take_last_logs()
        line = {"level": "error", "message": f"{error['code']}: {error['message']}"}
        if answer["retryable"] and job.tries < job.max_attempts:
            delay = max(backoff(job.tries, self._options), answer["retry_after"] or 0)
            if not self._store.retry(run, error=error, delay_seconds=delay, logs=[*lines, line]):
                return False
            announce_jobs(self._services, [job], delay_seconds=delay)
            return True
        keep = keep_failed_seconds(self._services)
        return self._store.fail(run, error=error, expires_after=keep, logs=[*lines, line])

    def _continue(self, run: Run, state: RunState, answer: Answer) -> bool:
        used = self._options.slice_seconds or 0.0
        handed = self._store.hand_on(run, checkpoint=answer["continue"], used_seconds=used)
        if handed:
            announce_jobs(self._services, [state.job])
        return handed

    def _stopped(self, run: Run, state: RunState, answer: Answer) -> bool:
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
