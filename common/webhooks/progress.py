"""Progress events of running jobs: for those who asked, and not more often than they bear."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from common.jobs.model import Job
from common.services import Services
from common.webhooks.events import EventType, is_progress_due
from common.webhooks.publish import publish_progress


class ProgressEvents:
    """Remembers when each running job was last told of; used by one thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._told: dict[str, datetime] = {}

    def tell(self, job: Job, progress: dict[str, Any] | None) -> None:
        if progress is None or EventType.JOB_PROGRESS not in (job.webhook or {}).get("events", ()):
            return
        now = self._services.clock()
        if is_progress_due(last_sent_at=self._told.get(job.job_id), now=now):
            self._told[job.job_id] = now
            publish_progress(self._services, job, progress, number=round(now.timestamp() * 1000))

    def forget_all_but(self, running: set[str]) -> None:
        self._told = {job_id: at for job_id, at in self._told.items() if job_id in running}
