"""A test's hands on the engine: submit, claim and end jobs as callers and workers do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from common.access import Caller
from common.jobs.model import Batch, Job
from common.jobs.store import Run
from common.jobs.submit import submit_batch, submit_job
from common.services import Services

WORKER = "worker-of-the-test"
RESULT: dict[str, Any] = {"results": {}, "files": [], "cache_prefixes": [], "progress": {}}


@dataclass(frozen=True)
class Engine:
    """The services and the caller whose jobs these are."""

    services: Services
    caller: Caller

    def submit(self, job_type: str = "noop", **body: Any) -> Job:
        return submit_job(self.services, self.caller, {"job_type": job_type, **body}, key=None)

    def submit_batch(self, count: int, job_type: str = "noop") -> tuple[Batch, list[str]]:
        jobs = [{"job_type": job_type} for _ in range(count)]
        return submit_batch(self.services, self.caller, {"jobs": jobs}, key=None)

    def job(self, job_id: str) -> Job:
        found = self.services.jobs.get(job_id)
        assert found is not None, "the job is gone"
        return found

    def batch(self, batch_id: str) -> Batch:
        found = self.services.batches.get(batch_id)
        assert found is not None, "the batch is gone"
        return found

    def claim(self, job_id: str, worker_id: str = WORKER) -> Run:
        job = self.services.jobs.claim(job_id, worker_id)
        assert job is not None, "the job could not be claimed"
        return Run(job_id=job_id, attempt=job.attempt, worker_id=worker_id)

    def complete(self, run: Run) -> bool:
        return self.services.jobs.complete(run, **RESULT, expires_after=None)

    def fail(self, run: Run) -> bool:
        return self.services.jobs.fail(run, error={"code": "X", "message": "x"}, expires_after=None)

    def waiting_messages(self, job_type: str = "noop") -> int:
        name = f"jobs-{job_type}"
        return sum(self.services.queue.depth([name, f"{name}-high"]).values())

    def empty_queue(self) -> None:
        self.services.database["messages"].delete_many({})
