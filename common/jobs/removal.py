"""Removes jobs and batches together with their bytes: objects first, because a document without objects
can be removed again, while objects without a document would never be found."""

from __future__ import annotations

from common.jobs.batch_archive import archive_job_id
from common.objects import keys
from common.queue.base import BATCH_ARCHIVE
from common.services import Services


def remove_job(services: Services, job_id: str) -> bool:
    """Of a job that has ended; what it has in the shared cache goes with the last job that has it."""
    job = services.jobs.get(job_id)
    if job is not None:
        services.cache_marks.release(job.cache_prefixes)
    services.objects.delete_prefix(keys.job_prefix(job_id))
    services.objects.delete_prefix(keys.archive_prefix(job_id))
    if job is not None and job.job_type == BATCH_ARCHIVE:
        batch_id = job.parameters["batch_id"]
        services.objects.delete_prefix(keys.batch_archive(batch_id, f"{job_id}/"))
    services.deliveries.remove_of_jobs([job_id])
    return services.control.delete(job_id)


def remove_batch(services: Services, batch_id: str) -> bool:
    """Of a batch without members; False while it still has some. The jobs that packed it go with it; one that
    runs finds its batch gone, and what it wrote goes with it when its time is over."""
    if services.batches.has_members(batch_id):
        return False
    for job_id in _packers(services, batch_id):
        remove_job(services, job_id)
    services.objects.delete_prefix(keys.batch_archive_prefix(batch_id))
    services.deliveries.remove_of_batch(batch_id)
    services.batches.delete(batch_id)
    return True


def _packers(services: Services, batch_id: str) -> set[str]:
    """The job of the batch's last end, and those of earlier ends: their archives lie below their ids."""
    prefix = keys.batch_archive_prefix(batch_id)
    found = {key.removeprefix(prefix).split("/")[0] for key, _ in services.objects.listing(prefix)}
    batch = services.batches.get(batch_id)
    return found | ({archive_job_id(batch)} if batch is not None and batch.closed_at else set())


def remove_unused_caches(services: Services, *, limit: int) -> int:
    """What removed jobs leave in the shared cache, once no other job has it and none could be reading it."""
    removed = 0
    for prefix in services.cache_marks.released(limit=limit):
        if not services.cache_marks.is_used(prefix):
            if not services.cache_marks.is_quiet():
                break
            services.objects.delete_prefix(f"{prefix}/")
            removed += 1
        services.cache_marks.forget(prefix)
    return removed
