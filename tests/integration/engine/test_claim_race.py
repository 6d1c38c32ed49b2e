"""Many workers want the same jobs: each is claimed once."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from common.jobs.lifecycle import JobStatus
from tests.integration.engine.helpers import Engine

WORKERS = 50
JOBS = 1_000
CHUNK = 20


@pytest.mark.timeout(240)
def test_fifty_workers_claim_a_thousand_jobs_once_each(engine: Engine) -> None:
    _, job_ids = engine.submit_batch(JOBS)

    def claim(number: int) -> list[str]:
        worker_id = f"worker-{number}"
        mine, order = [], random.Random(number).sample(job_ids, JOBS)
        for start in range(0, JOBS, CHUNK):
            chunk = order[start : start + CHUNK]
            mine += [job.job_id for job in engine.services.jobs.claim_many(chunk, worker_id)]
            one = engine.services.jobs.claim(chunk[0], worker_id)
            mine += [one.job_id] if one else []
        assert all(engine.job(job_id).worker_id == worker_id for job_id in mine)
        return mine

    with ThreadPoolExecutor(WORKERS) as pool:
        claimed = Counter(job_id for mine in pool.map(claim, range(WORKERS)) for job_id in mine)
    assert claimed == Counter(job_ids)
    jobs = engine.services.control.members(job_ids, [JobStatus.PROCESSING])
    assert [job.attempt for job in jobs] == [1] * JOBS
