"""What Prometheus reads is what the stores hold."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from pymongo.errors import OperationFailure

from common.access import Caller
from common.errors import Forbidden
from common.jobs.model import Job
from common.jobs.store import Run
from common.jobs.submit import submit_job
from common.metrics.collect import metrics
from common.metrics.store import MetricsStore
from common.services import Services

ADMIN = Caller(user_id="local", is_admin=True)
LINE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)')


def read(services: Services) -> dict[tuple[str, str], float]:
    """Every sample by its name and labels, each line in the specified form."""
    samples = {}
    for line in metrics(services, ADMIN).decode().splitlines():
        if line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        assert match is not None, line
        samples[match[1], match[2] or ""] = float(match[3])
    return samples


def submitted(services: Services, **body: Any) -> Job:
    job = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}}
    return submit_job(services, ADMIN, job | body, key=None)


def claimed(services: Services, job: Job) -> Run:
    found = services.jobs.claim(job.job_id, "worker")
    assert found is not None
    return Run(job_id=job.job_id, attempt=found.attempt, worker_id="worker")


def test_jobs_queues_durations_and_refusals_are_told(services: Services) -> None:
    submitted(services)
    submitted(services, priority=9)
    failing = claimed(services, submitted(services))
    error = {"code": "URL_NOT_ALLOWED", "message": "no", "details": {"reason": "address"}}
    assert services.jobs.fail(failing, error=error, expires_after=None)
    done = submitted(services)
    assert services.jobs.complete(
        claimed(services, done), results={}, files=[], cache_prefixes=[], progress={}, expires_after=None
    )
    samples = read(services)

    assert samples["secretary_jobs", 'type="pdf",status="pending"'] == 2
    assert samples["secretary_jobs", 'type="pdf",status="failed"'] == 1
    assert samples["secretary_jobs", 'type="pdf",status="completed"'] == 1
    assert samples["secretary_jobs", 'type="pdf",status="cancelled"'] == 0
    assert samples["secretary_queue_depth", 'queue="jobs-pdf-high"'] == 1
    assert samples["secretary_outbound_refusals", 'reason="address"'] == 1
    assert 0 <= samples["secretary_job_duration_seconds", 'type="pdf",quantile="1"'] < 60


def test_the_age_of_a_queue_is_that_of_its_oldest_job(services: Services) -> None:
    job = submitted(services)
    submitted(services)
    old = services.jobs.now() - timedelta(hours=1)
    services.database["jobs"].update_one({"_id": job.job_id}, {"$set": {"created_at": old}})

    assert 3_500 < read(services)["secretary_queue_age_seconds", 'type="pdf"'] < 3_700


def test_only_an_administrator_sees_everybodys_figures(services: Services) -> None:
    with pytest.raises(Forbidden):
        metrics(services, Caller(user_id="anna"))


def test_no_query_behind_the_metrics_scans_the_collection(services: Services) -> None:
    """The server refuses a collection scan while notablescan is set."""
    submitted(services)
    store = MetricsStore(services.database)
    admin = services.database.client.admin
    admin.command("setParameter", 1, notablescan=True)
    try:
        with pytest.raises(OperationFailure):
            list(services.database["jobs"].find({"job_name": "x"}))
        services.statistics.by_type_and_status(None)
        services.statistics.durations("pdf", None)
        store.oldest_waiting(["pdf"])
        store.refusals()
        services.deliveries.counts()
    finally:
        admin.command("setParameter", 1, notablescan=False)
