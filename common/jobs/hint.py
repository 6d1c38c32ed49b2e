"""What becomes of a message whose job could not be claimed."""

from __future__ import annotations

from common.services import Services

SHORTEST_SECONDS, LONGEST_SECONDS = 0.5, 900.0


def look_again_after(services: Services, job_id: str) -> float | None:
    """Seconds until the job may be claimed; None when this message is done with.

    Final, paused and unknown jobs need no message; one that runs elsewhere is seen after its lease.
    """
    job = services.jobs.get(job_id)
    if job is None or job.is_final or job.paused:
        return None
    until = job.lease.expires_at if job.lease else job.not_before
    left = (until - services.jobs.now()).total_seconds() if until else 0.0
    return min(max(left, SHORTEST_SECONDS), LONGEST_SECONDS)
