"""Documents of other releases: brought up to date while workers go on, and left alone when they are newer."""

from __future__ import annotations

import pytest

from common.access import Caller
from common.jobs.lifecycle import JobStatus
from common.jobs.model import SCHEMA_VERSION, Job
from common.jobs.store import Run
from common.jobs.submit import submit_job
from common.migrations.run import SchemaTooNew, migrate
from common.services import Services

BODY = {
    "job_type": "pdf",
    "job_name": "Annual report",
    "parameters": {"url": "https://example.org/report.pdf"},
}


def submitted(services: Services) -> Job:
    return submit_job(services, Caller(user_id="ann"), BODY, key=None)


def end(services: Services, job: Job, worker_id: str) -> bool:
    run = Run(job_id=job.job_id, attempt=job.attempt, worker_id=worker_id)
    return services.jobs.complete(
        run, results={}, files=[], cache_prefixes=[], progress={"percent": 100}, expires_after=None
    )


def make_older(services: Services, job: Job, *gone: str) -> None:
    services.database["jobs"].update_one({"_id": job.job_id}, {"$unset": dict.fromkeys(("schema", *gone), 1)})


def test_an_older_document_gets_what_it_lacks_and_keeps_what_it_has(services: Services) -> None:
    job = submitted(services)
    before = services.database["jobs"].find_one({"_id": job.job_id})
    make_older(services, job, "words", "paused", "used_seconds")
    assert migrate(services.database) == {"jobs": 1, "batches": 0}
    assert services.database["jobs"].find_one({"_id": job.job_id}) == before
    assert migrate(services.database) == {"jobs": 0, "batches": 0}, "a second run found something to do"


def test_a_worker_of_the_release_before_ends_what_it_began(services: Services) -> None:
    """Claimed before the migration, ended after it: the fence does not notice."""
    job = submitted(services)
    claimed = services.jobs.claim(job.job_id, "old-worker")
    assert claimed is not None
    make_older(services, job, "words")
    migrate(services.database)
    assert end(services, claimed, "old-worker")
    found = services.database["jobs"].find_one({"_id": job.job_id})
    assert found is not None
    assert (found["status"], found["schema"]) == (JobStatus.COMPLETED, SCHEMA_VERSION)
    assert "annual" in found["words"]


def test_a_worker_of_this_release_leaves_what_a_later_one_added(services: Services) -> None:
    """Side by side: the newer release has been here already, this one still takes jobs."""
    job = submitted(services)
    added = {"schema": SCHEMA_VERSION + 1, "region": "eu", "costs": {"pages": 3}}
    services.database["jobs"].update_one({"_id": job.job_id}, {"$set": added})
    claimed = services.jobs.claim(job.job_id, "this-worker")
    assert claimed is not None
    assert end(services, claimed, "this-worker")
    found = services.database["jobs"].find_one({"_id": job.job_id})
    assert found is not None
    assert found["status"] == JobStatus.COMPLETED
    assert {name: found[name] for name in added} == added


def test_an_older_release_refuses_to_migrate_newer_documents(services: Services) -> None:
    job = submitted(services)
    services.database["jobs"].update_one({"_id": job.job_id}, {"$set": {"schema": SCHEMA_VERSION + 1}})
    with pytest.raises(SchemaTooNew, match=f"found version {SCHEMA_VERSION + 1}"):
        migrate(services.database)


def test_an_empty_database_gets_its_indexes(services: Services) -> None:
    services.database["jobs"].drop()
    migrate(services.database)
    assert "by_status" in services.database["jobs"].index_information()
