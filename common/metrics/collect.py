"""Use-case: the metrics of now. All of them come from the stores, so every process tells the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from common.access import Caller, require_admin
from common.jobs.lifecycle import JobStatus
from common.metrics.prometheus import Family, exposition
from common.metrics.store import MetricsStore
from common.processing.registry import job_types
from common.queue.base import HIGH_PRIORITY, NOTIFY_QUEUE, queue_for
from common.services import Services

QUANTILES = (0.5, 0.95, 1.0)
Sample = tuple[Mapping[str, str], float]


def metrics(services: Services, caller: Caller) -> bytes:
    """For administrators: the figures are about everybody's jobs."""
    require_admin(caller)
    store = MetricsStore(services.database)
    kinds = sorted(job_types())
    return exposition(
        [
            Family(name="secretary_jobs", help="Jobs by type and state.", samples=_jobs(services, kinds)),
            Family(
                name="secretary_job_duration_seconds",
                help="Time from start to end of the newest completed jobs, by type.",
                samples=_durations(services, kinds),
            ),
            Family(
                name="secretary_queue_depth",
                help="Messages that wait in each queue.",
                samples=_depths(services, kinds),
            ),
            Family(
                name="secretary_queue_age_seconds",
                help="How long the oldest pending job of each type has waited.",
                samples=_ages(services, store, kinds),
            ),
            Family(
                name="secretary_webhook_deliveries",
                help="Webhooks by event and state.",
                samples=(
                    ({"event": event, "state": state}, count)
                    for event, state, count in services.deliveries.counts()
                ),
            ),
            Family(
                name="secretary_outbound_refusals",
                help="Jobs whose source the outbound guard refused, by reason.",
                samples=(({"reason": reason}, count) for reason, count in sorted(store.refusals())),
            ),
        ]
    )


def _jobs(services: Services, kinds: list[str]) -> list[Sample]:
    """Zeros too: a series that is missing cannot be alarmed on."""
    counts = {(kind, status.value): 0 for kind in kinds for status in JobStatus}
    counts |= {(kind, status): count for kind, status, count in services.statistics.by_type_and_status(None)}
    return [({"type": kind, "status": status}, count) for (kind, status), count in sorted(counts.items())]


def _durations(services: Services, kinds: list[str]) -> Iterator[Sample]:
    for kind in kinds:
        seconds = sorted(services.statistics.durations(kind, None))
        for quantile in QUANTILES if seconds else ():
            place = min(int(quantile * len(seconds)), len(seconds) - 1)
            yield {"type": kind, "quantile": f"{quantile:g}"}, seconds[place]


def _depths(services: Services, kinds: list[str]) -> list[Sample]:
    names = [queue_for(kind, priority) for kind in kinds for priority in (0, HIGH_PRIORITY)]
    depth = services.queue.depth([*names, NOTIFY_QUEUE])
    return [({"queue": name}, count) for name, count in sorted(depth.items())]


def _ages(services: Services, store: MetricsStore, kinds: list[str]) -> Iterator[Sample]:
    now, oldest = services.jobs.now(), store.oldest_waiting(kinds)
    for kind in kinds:
        since = oldest.get(kind)
        yield {"type": kind}, max((now - since).total_seconds(), 0.0) if since else 0.0
