"""P50: metadata and objects go together, failures too; nothing goes early and nothing is left behind."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import pytest

from common.access import Caller
from common.jobs.batch_archive import ensure_batch_archive
from common.jobs.batch_control import delete_batch
from common.jobs.control import delete_job
from common.jobs.ending import close_batch
from common.jobs.model import Batch, Job
from common.jobs.store import Pulse, Run
from common.jobs.submit import submit_batch, submit_job
from common.jobs.sweep import sweep
from common.services import Services
from common.webhooks.publish import publish_job
from tests.servers.seaweed import SeaweedServer

ANNA = Caller(user_id="anna")
HOOK = {"url": "https://hooks.example/", "events": ["job.completed", "job.failed"]}
PDF: dict[str, Any] = {
    "job_type": "pdf",
    "parameters": {"url": "https://x.example/a.pdf"},
    "webhook": HOOK,
}
ERROR = {"code": "ENCRYPTED_FILE", "message": "needs a password", "details": {}}
DAY = 86_400.0


@pytest.fixture
def environment(database_environment: dict[str, str], object_server: SeaweedServer) -> dict[str, str]:
    keys = {"SECRETARY_WEBHOOKS__SECRET_KEYS": "a key of thirty-two characters or more"}
    return database_environment | object_server.environment | keys


def cache_of(text: str) -> str:
    return f"cache/pdf/{hashlib.sha256(text.encode()).hexdigest()}/native"


def ended(
    services: Services, job: Job, *, failed: bool = False, keep: float | None = DAY, cache: str | None = None
) -> None:
    """With a result, an archive and a page in the cache, as a real run leaves them."""
    claimed = services.jobs.claim(job.job_id, "worker")
    assert claimed is not None
    run = Run(job_id=job.job_id, attempt=claimed.attempt, worker_id="worker")
    cache = cache or cache_of(job.job_id)
    for key in (f"jobs/{job.job_id}/1/a.md", f"archives/{job.job_id}/1/a.zip", f"{cache}/page_001.txt"):
        services.objects.put(key, b"content", "text/plain")
    services.jobs.pulse([Pulse(run=run, caches=(cache,))])
    if failed:
        assert services.jobs.fail(run, error=ERROR, expires_after=keep)
    else:
        assert services.jobs.complete(
            run, results={}, files=[], cache_prefixes=[], progress={}, expires_after=keep
        )
    publish_job(services, job.job_id)


def left(services: Services, job: Job) -> list[str]:
    """Everything that still tells of a job."""
    prefixes = (f"jobs/{job.job_id}/", f"archives/{job.job_id}/", f"{cache_of(job.job_id)}/")
    found = [key for prefix in prefixes for key, _ in services.objects.listing(prefix)]
    for collection in ("jobs", "deliveries"):
        found += [item["_id"] for item in services.database[collection].find({"job_id": job.job_id})]
    return found


@pytest.mark.parametrize("failed", [False, True])
def test_a_job_whose_time_is_over_leaves_nothing(services: Services, failed: bool) -> None:
    old, young = (submit_job(services, ANNA, PDF, key=None) for _ in range(2))
    ended(services, old, failed=failed, keep=-1.0)
    ended(services, young, failed=failed, keep=DAY)

    assert sweep(services).removed == 1
    assert left(services, old) == []
    assert len(left(services, young)) == 5
    assert sweep(services).removed == 0


def test_a_job_may_have_a_time_of_its_own(services: Services) -> None:
    soon = services.clock() + timedelta(seconds=-1)
    late = services.clock() + timedelta(days=400)
    short = submit_job(services, ANNA, PDF | {"expires_at": soon.isoformat()}, key=None)
    long = submit_job(services, ANNA, PDF | {"expires_at": late.isoformat()}, key=None)
    sweep(services)
    assert services.jobs.get(short.job_id) is not None, "a job that has not ended stays"
    for job in (short, long):
        ended(services, job, keep=DAY)
    sweep(services)

    assert left(services, short) == []
    kept = services.jobs.get(long.job_id)
    assert kept is not None
    assert kept.expires_at == late


def test_null_keeps_for_ever(services: Services) -> None:
    job = submit_job(services, ANNA, PDF, key=None)
    ended(services, job, keep=None)
    stored = services.jobs.get(job.job_id)

    assert stored is not None
    assert stored.expires_at is None
    assert sweep(services).removed == 0


def test_a_cache_goes_with_the_last_job_that_has_it(services: Services) -> None:
    first, second = (submit_job(services, ANNA, PDF, key=None) for _ in range(2))
    shared = cache_of(first.job_id)
    ended(services, first, keep=-1.0, cache=shared)
    ended(services, second, keep=DAY, cache=shared)
    sweep(services)
    assert [key for key, _ in services.objects.listing(shared)] == [f"{shared}/page_001.txt"]

    services.database["jobs"].update_one(
        {"_id": second.job_id}, [{"$set": {"expires_at": {"$subtract": ["$$NOW", 1]}}}]
    )
    sweep(services)
    sweep(services)
    assert list(services.objects.listing(shared)) == []


def test_a_cache_stays_while_a_running_job_could_be_reading_it(services: Services) -> None:
    old, running = (submit_job(services, ANNA, PDF, key=None) for _ in range(2))
    ended(services, old, keep=-1.0)
    claimed = services.jobs.claim(running.job_id, "worker")
    assert claimed is not None
    sweep(services)
    assert services.jobs.get(old.job_id) is None
    assert len(list(services.objects.listing(cache_of(old.job_id)))) == 1

    run = Run(job_id=running.job_id, attempt=claimed.attempt, worker_id="worker")
    assert services.jobs.fail(run, error=ERROR, expires_after=None)
    sweep(services)
    assert list(services.objects.listing(cache_of(old.job_id))) == []


def test_a_batch_goes_with_its_last_member(services: Services) -> None:
    batch, job_ids = submit_batch(services, ANNA, {"jobs": [PDF, PDF]}, key=None)
    services.objects.put(f"archives/batches/{batch.batch_id}/all.zip", b"content", "application/zip")
    jobs = [job for job_id in job_ids if (job := services.jobs.get(job_id))]
    ended(services, jobs[0], keep=-1.0)
    ended(services, jobs[1], failed=True, keep=DAY)
    sweep(services)
    assert services.batches.get(batch.batch_id) is not None

    services.database["jobs"].update_one(
        {"_id": jobs[1].job_id}, [{"$set": {"expires_at": {"$subtract": ["$$NOW", 1]}}}]
    )
    sweep(services)
    sweep(services)
    assert services.batches.get(batch.batch_id) is None
    assert list(services.objects.listing(f"archives/batches/{batch.batch_id}/")) == []


def test_what_an_earlier_run_left_in_the_cache_goes_too(services: Services) -> None:
    """A job that was started anew by another method, and one that never said what it used again."""
    job = submit_job(services, ANNA, PDF, key=None)
    first, second = cache_of(f"{job.job_id} by another method"), cache_of(job.job_id)
    services.objects.put(f"{first}/page_001.txt", b"content", "text/plain")
    ended(services, job, failed=True, cache=first)
    assert services.control.restart(job.job_id, parameters=job.parameters)
    ended(services, job, keep=-1.0, cache=second)
    stored = services.jobs.get(job.job_id)
    assert stored is not None and set(stored.cache_prefixes) == {first, second}
    sweep(services)
    assert [key for prefix in (first, second) for key, _ in services.objects.listing(prefix)] == []


def batch_of_one(services: Services) -> tuple[Batch, Job]:
    """Ended, and packed by a job of its own."""
    batch, (job_id,) = submit_batch(services, ANNA, {"jobs": [PDF]}, key=None)
    job = services.jobs.get(job_id)
    assert job is not None
    ended(services, job)
    close_batch(services, batch.batch_id)
    closed = services.batches.get(batch.batch_id)
    assert closed is not None
    packer = ensure_batch_archive(services, closed)
    key = f"archives/batches/{batch.batch_id}/{packer.job_id}/1/all.zip"
    services.objects.put(key, b"content", "application/zip")
    return closed, packer


def test_the_job_that_packed_a_batch_goes_with_it(services: Services) -> None:
    batch, packer = batch_of_one(services)
    assert delete_batch(services, ANNA, batch.batch_id)
    assert services.jobs.get(packer.job_id) is None
    assert list(services.objects.listing(f"archives/batches/{batch.batch_id}/")) == []


def test_what_packs_a_batch_that_is_gone_leaves_nothing(services: Services) -> None:
    batch, packer = batch_of_one(services)
    claimed = services.jobs.claim(packer.job_id, "worker")
    assert claimed is not None
    assert delete_batch(services, ANNA, batch.batch_id)
    late = f"archives/batches/{batch.batch_id}/{packer.job_id}/1/late.zip"
    services.objects.put(late, b"content", "application/zip")
    run = Run(job_id=packer.job_id, attempt=claimed.attempt, worker_id="worker")
    assert services.jobs.fail(run, error=ERROR, expires_after=-1.0)
    sweep(services)
    assert services.jobs.get(packer.job_id) is None
    assert list(services.objects.listing(f"archives/batches/{batch.batch_id}/")) == []


def test_a_batch_whose_last_job_is_deleted_goes_too(services: Services) -> None:
    batch, _ = batch_of_one(services)
    (job_id,) = services.batches.member_ids(batch.batch_id)
    assert delete_job(services, ANNA, job_id)
    assert services.batches.get(batch.batch_id) is None


def test_a_batch_that_lost_its_members_is_found(services: Services) -> None:
    """Who removed them died before the batch was removed; one with members is not looked at for ever."""
    empty, _ = batch_of_one(services)
    full, _ = batch_of_one(services)
    services.batches.look_again([empty.batch_id, full.batch_id])
    services.database["jobs"].delete_many({"batch_id": empty.batch_id})
    services.database["batches"].update_many({}, [{"$set": {"check_at": {"$subtract": ["$$NOW", 1]}}}])
    sweep(services)
    assert services.batches.get(empty.batch_id) is None
    (kept,) = services.database["batches"].find({})
    assert (kept["_id"], kept["check_at"]) == (full.batch_id, None)


def test_the_log_of_webhooks_expires_by_itself(services: Services) -> None:
    job = submit_job(services, ANNA, PDF, key=None)
    ended(services, job)
    indexes = services.database["deliveries"].index_information()

    assert indexes["expiry"]["expireAfterSeconds"] == 0
    (delivery,) = services.database["deliveries"].find({"job_id": job.job_id})
    assert delivery["expires_at"] - delivery["created_at"] == timedelta(days=30)
