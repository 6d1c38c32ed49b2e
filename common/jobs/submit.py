"""Use-case: hand in one job or many. Written first, then announced; the sweep finds what was not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from pymongo.errors import DuplicateKeyError

from common import tracing
from common.access import Caller, owner_of_new
from common.jobs.announce import announce_new
from common.jobs.database import Document
from common.jobs.demands import check_demands
from common.jobs.idempotency import idempotency, insert_once
from common.jobs.lifecycle import JobStatus
from common.jobs.model import SCHEMA_VERSION, Batch, Job
from common.jobs.new_job import new_job
from common.jobs.requests import JobRequest, canonical_type, parse_batch, parse_job
from common.jobs.search import words_of
from common.services import Services
from common.uploads.use import check_uploads
from common.webhooks.events import EventType
from common.webhooks.hook import BATCH_END, JOB_ENDS, NewHook, wants_jobs
from common.webhooks.request import WebhookRequest


def submit_job(services: Services, caller: Caller, body: dict[str, Any], *, key: str | None) -> Job:
    request, parameters = parse_job(body)
    check_demands(services.settings, request.job_type, parameters)
    owner = owner_of_new(caller, request.user_id)
    check_uploads(services, owner, [parameters], where="")
    document = _job(services, caller, owner, request, parameters)
    document["idempotency"] = idempotency(caller, key, body, document["created_at"])
    hook = _hook(services, request.webhook, JOB_ENDS)
    document["webhook"] = hook.document if hook else None

    def insert() -> None:
        with _quota(services, caller, 1):
            services.jobs.insert(document)

    known = insert_once(
        insert,
        wanted=document["idempotency"],
        lifetime=_lifetime(services),
        known=services.jobs.by_idempotency_key,
        forget=lambda job: services.jobs.forget_key(job.job_id),
    )
    if known:
        return known
    announce_new(services, [document])
    return Job.from_document(document | {"webhook": hook.shown_once if hook else None})


def submit_batch(
    services: Services, caller: Caller, body: dict[str, Any], *, key: str | None, made_from: Any = None
) -> tuple[Batch, list[str]]:
    """All members are valid or nothing is stored. `made_from` is what the caller sent, if it was not `body`:
    a repeated request is known by that."""
    request = parse_batch(body, at_most=services.settings.limits.batch_jobs)
    owner = owner_of_new(caller, request.user_id)
    now = services.clock()
    batch: Document = {
        "batch_id": services.new_id("batch"),
        "schema": SCHEMA_VERSION,
        "batch_name": request.batch_name,
        "parameters": request.parameters,
        "total_jobs": len(request.jobs),
        "user_id": owner,
        "owner_groups": _groups(caller, owner),
        "access_control": request.access_control.model_dump(),
        "is_active": True,
        "archived": False,
        "created_at": now,
        "updated_at": now,
        "closed_at": None if request.jobs else now,
        "check_at": now + timedelta(seconds=services.settings.sweep.resend_after_seconds)
        if request.jobs
        else None,
        "idempotency": idempotency(caller, key, made_from or body, now),
        "version": 1,
    }
    batch["_id"] = batch["batch_id"]
    hook = _hook(services, request.webhook, BATCH_END)
    batch["webhook"] = hook.document if hook else None
    if hook and not request.jobs:
        batch["outbox"] = [{"event": EventType.BATCH_COMPLETED.value, "number": 1, "at": now}]
    jobs = [_member(services, caller, item, place, batch) for place, item in enumerate(request.jobs)]
    check_uploads(services, owner, [job["parameters"] for job in jobs], where="jobs.{place}.")
    _number(jobs)

    def insert() -> None:
        with _quota(services, caller, len(jobs)):
            services.batches.insert(batch, jobs)

    known = insert_once(
        insert,
        wanted=batch["idempotency"],
        lifetime=_lifetime(services),
        known=services.batches.by_idempotency_key,
        forget=lambda one: services.batches.forget_key(one.batch_id),
    )
    if known:
        return known, services.batches.member_ids(known.batch_id)
    announce_new(services, jobs)
    counts = {JobStatus.PENDING.value: len(jobs)} if jobs else {}
    batch["webhook"] = hook.shown_once if hook else None
    return Batch.from_document(batch, counts), [job["job_id"] for job in jobs]


def _member(services: Services, caller: Caller, item: Any, place: int, batch: Document) -> Document:
    body = dict(item)
    own = body.get("parameters")
    if own is None or isinstance(own, dict):
        body["parameters"] = batch["parameters"] | (own or {})
    request, parameters = parse_job(body, where=f"jobs.{place}.")
    check_demands(services.settings, request.job_type, parameters, where=f"jobs.{place}.")
    if "access_control" not in body:
        request.access_control = request.access_control.model_validate(batch["access_control"])
    hook = _hook(services, request.webhook, JOB_ENDS)
    shared = batch["webhook"] if wants_jobs(batch["webhook"]) else None
    own = {"batch_id": batch["batch_id"], "webhook": hook.document if hook else shared}
    return _job(services, caller, batch["user_id"], request, parameters) | own


def _number(jobs: list[Document]) -> None:
    """Ids in the order of the request: made within one millisecond, they come in any order."""
    for job, job_id in zip(jobs, sorted(job["_id"] for job in jobs), strict=True):
        job |= {"_id": job_id, "job_id": job_id}


@contextmanager
def _quota(services: Services, caller: Caller, jobs: int) -> Iterator[None]:
    """Only what is stored counts: neither what is refused nor what the same key has made before."""
    limiter = services.rate_limiter
    if limiter is None:
        yield
        return
    limiter.take_jobs(caller.user_id, jobs)
    try:
        yield
    except DuplicateKeyError:
        limiter.give_back_jobs(caller.user_id, jobs)
        raise


def _hook(
    services: Services, request: WebhookRequest | None, default_events: Sequence[EventType]
) -> NewHook | None:
    return services.hooks.new(request, default_events=default_events) if request else None


def _groups(caller: Caller, owner: str) -> list[str]:
    """Whoever acts for someone else does not lend them its own groups."""
    return sorted(caller.groups) if owner == caller.user_id else []


def _job(
    services: Services, caller: Caller, owner: str, request: JobRequest, parameters: Document
) -> Document:
    return new_job(
        services,
        job_id=services.new_id("job"),
        job_type=canonical_type(request.job_type),
        job_name=request.job_name,
        parameters=parameters,
        user_id=owner,
        owner_groups=_groups(caller, owner),
        access_control=request.access_control.model_dump(),
        max_attempts=request.max_attempts,
        priority=request.priority,
        not_before=request.not_before,
        keep_until=request.expires_at,
        tags=request.tags,
        words=words_of(request.job_name, parameters),
        trace=tracing.current(),
    )


def _lifetime(services: Services) -> timedelta:
    return timedelta(hours=services.settings.jobs.idempotency_hours)
