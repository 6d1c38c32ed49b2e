"""Use-case: look at deliveries, send one again, try a receiver out."""

from __future__ import annotations

import time
from typing import Any

from common.access import Caller, Right, require
from common.errors import NotFound
from common.jobs.model import Batch, Job
from common.jobs.requests import parse_body, wrong_field
from common.queue.base import NOTIFY_QUEUE, Message
from common.services import Services
from common.webhooks.events import encoded, trial_event
from common.webhooks.hook import JOB_ENDS, Hook
from common.webhooks.request import WebhookTestRequest
from common.webhooks.store import Delivery

Document = dict[str, Any]
COUNT_AT_MOST = 10_000
TEST_SECONDS = 10.0  # within the time limit of an HTTP function
SHOWN = (
    "delivery_id", "event_type", "job_id", "batch_id", "reason", "created_at", "tries", "not_before",
)  # fmt: skip


def list_deliveries(
    services: Services, caller: Caller, job_id: str, *, limit: int, skip: int
) -> tuple[list[Delivery], int]:
    require(caller, services.jobs.get(job_id), Right.WRITE, what="job")
    total = services.deliveries.count_of_job(job_id, at_most=COUNT_AT_MOST)
    return services.deliveries.of_job(job_id, limit=limit, skip=skip), total


def redeliver(services: Services, caller: Caller, delivery_id: str) -> Delivery:
    """Someone else's delivery answers like an unknown one."""
    delivery = services.deliveries.get(delivery_id)
    subject = _subject(services, delivery) if delivery else None
    require(caller, subject, Right.WRITE, what="delivery")
    services.deliveries.send_again(delivery_id)
    again = services.deliveries.get(delivery_id)
    if again is None:
        raise NotFound("There is no such delivery.")
    message = Message(queue=NOTIFY_QUEUE, subject_id=delivery_id, user_id=again.user_id)
    services.queue.send([message])
    return again


def try_receiver(services: Services, caller: Caller, body: Document) -> Document:
    """One signed event, sent now and once, to a receiver that is given here or that of a job."""
    from common.outbound.client import Outbound
    from common.outbound.policy import policy_of
    from common.webhooks.deliver import send

    hook, shown_secret = _receiver(services, caller, _parsed(body))
    message_id = services.new_id("msg")
    event = encoded(trial_event(at=services.clock()))
    began = time.monotonic()
    with Outbound(policy_of(services.settings.outbound)) as outbound:
        outcome = send(services, outbound, hook, message_id=message_id, body=event, seconds=TEST_SECONDS)
    answer = {
        "delivered": outcome.status is not None and 200 <= outcome.status < 300,
        "message_id": message_id,
        "status": outcome.status,
        "reason": outcome.reason,
        "milliseconds": round((time.monotonic() - began) * 1000),
    }
    return answer | ({"secret": shown_secret} if shown_secret else {})


def delivery_view(delivery: Delivery) -> Document:
    shown = {name: getattr(delivery, name) for name in SHOWN}
    return shown | {"state": delivery.state.value, "attempts": list(delivery.attempts)}


def _subject(services: Services, delivery: Delivery) -> Job | Batch | None:
    if delivery.batch_id is not None:
        return services.batches.get(delivery.batch_id)
    return services.jobs.get(delivery.job_id or "")


def _parsed(body: Document) -> WebhookTestRequest:
    request = parse_body(WebhookTestRequest, body)
    if (request.webhook is None) == (request.job_id is None):
        raise wrong_field("webhook", "expected either a webhook or the job_id of a job that has one")
    return request


def _receiver(services: Services, caller: Caller, request: WebhookTestRequest) -> tuple[Hook, str | None]:
    if request.webhook is not None:
        new = services.hooks.new(request.webhook, default_events=JOB_ENDS)
        return services.hooks.open(new.document), new.shown_secret
    job = require(caller, services.jobs.get(request.job_id or ""), Right.WRITE, what="job")
    if job.webhook is None:
        raise wrong_field("job_id", "expected a job with a webhook, found one without")
    return services.hooks.open(job.webhook), None
