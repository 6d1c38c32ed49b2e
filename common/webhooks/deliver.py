"""Use-case: make one attempt at one delivery, and write down how it went."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from common import logs
from common.errors import NotFound, SecretaryError
from common.outbound.client import Outbound
from common.queue.base import NOTIFY_QUEUE, Message
from common.services import Services
from common.webhooks.delivery import Decision, DeliveryState, Outcome, decide, outcome_of_error
from common.webhooks.events import encoded
from common.webhooks.headers import request_headers
from common.webhooks.hook import Hook
from common.webhooks.signing import signed_headers
from common.webhooks.store import Delivery

Document = dict[str, Any]
BUSY_MARGIN_SECONDS = 15.0  # beyond the time-out of a request, until someone else may try
LONGEST_DELAY_SECONDS = 900.0  # what every queue can hold back; for longer waits the sweep sends the message
NO_RECEIVER = Decision(state=DeliveryState.GIVEN_UP, reason="the webhook was removed")
IS_DISABLED = Decision(
    state=DeliveryState.DISABLED, reason="the receiver answered 410 before and wants no more"
)


def deliver(
    services: Services,
    outbound: Outbound,
    delivery_id: str,
    *,
    jitter: Callable[[], float] = random.random,
) -> None:
    """Nothing to do when it is not due, over, or in other hands: the sweep looks after what is left."""
    busy = services.settings.webhooks.timeout_seconds + BUSY_MARGIN_SECONDS
    delivery = services.deliveries.take(delivery_id, busy_seconds=busy)
    if delivery is None:
        return
    stored = _stored_hook(services, delivery)
    if stored is None:
        _settle(services, delivery, NO_RECEIVER, Outcome(reason="no receiver"), seconds=0.0)
        return
    if stored["disabled_at"] is not None:
        _settle(services, delivery, IS_DISABLED, Outcome(reason="disabled"), seconds=0.0)
        return
    began = time.monotonic()
    outcome = _attempt(services, outbound, delivery, stored)
    decision = decide(
        outcome,
        attempts_made=delivery.tries,
        now=services.clock(),
        jitter=jitter(),
        max_attempts=delivery.max_tries,
    )
    _settle(services, delivery, decision, outcome, seconds=time.monotonic() - began)
    if decision.state is DeliveryState.DISABLED:
        _disable(services, delivery, stored)


def send(
    services: Services, outbound: Outbound, hook: Hook, *, message_id: str, body: bytes, seconds: float
) -> Outcome:
    """One signed request; any answer is an outcome, and so is none."""
    signed = signed_headers(message_id=message_id, body=body, secrets=hook.secrets, now=services.clock())
    headers = request_headers(hook.headers, signed)
    try:
        answer = outbound.post(hook.url, body=body, headers=headers, timeout_seconds=seconds)
    except SecretaryError as error:
        return outcome_of_error(error)
    return Outcome(status=answer.status, retry_after=answer.retry_after)


def _attempt(services: Services, outbound: Outbound, delivery: Delivery, stored: Document) -> Outcome:
    try:
        hook = services.hooks.open(stored)
        body = encoded(_with_texts(services, delivery))
    except SecretaryError as error:
        return outcome_of_error(error)
    seconds = services.settings.webhooks.timeout_seconds
    return send(services, outbound, hook, message_id=delivery.delivery_id, body=body, seconds=seconds)


def _with_texts(services: Services, delivery: Delivery) -> Document:
    if not delivery.texts or not isinstance(delivery.event.get("results"), dict):
        return delivery.event
    texts = {name: _text(services, key) for name, key in delivery.texts.items()}
    return delivery.event | {"results": delivery.event["results"] | texts}


def _text(services: Services, key: str) -> str | None:
    try:
        return services.objects.get(key).decode("utf-8", "replace")
    except NotFound:
        return None  # removed since; the event itself is still true


def _stored_hook(services: Services, delivery: Delivery) -> Document | None:
    """As it is now: a secret that was replaced since, or a new address, counts for a retry too."""
    if delivery.batch_id is not None:
        batch = services.batches.get(delivery.batch_id)
        return batch.webhook if batch else None
    job = services.jobs.get(delivery.job_id or "")
    return job.webhook if job else None


def _settle(
    services: Services, delivery: Delivery, decision: Decision, outcome: Outcome, *, seconds: float
) -> None:
    wait = None
    if decision.not_before is not None:
        wait = (decision.not_before - services.clock()).total_seconds()
    attempt = {
        "status": outcome.status,
        "reason": decision.reason,
        "milliseconds": round(seconds * 1000),
    }
    written = services.deliveries.settle(
        delivery, state=decision.state, reason=decision.reason, attempt=attempt, wait=wait
    )
    logs.info(
        "webhook attempt" if written else "late webhook attempt",
        delivery_id=delivery.delivery_id, event_type=delivery.event_type, job_id=delivery.job_id,
        state=decision.state.value, status=outcome.status, attempt=delivery.turn,
    )  # fmt: skip
    if written and wait is not None and wait <= LONGEST_DELAY_SECONDS:
        message = Message(
            queue=NOTIFY_QUEUE, subject_id=delivery.delivery_id, user_id=delivery.user_id, delay_seconds=wait
        )
        services.queue.send([message])


def _disable(services: Services, delivery: Delivery, stored: Document) -> None:
    """A receiver that is gone gets nothing more, from this job or from the others of its batch."""
    if delivery.batch_id is not None:
        batch_id: str | None = delivery.batch_id
    else:
        job = services.jobs.get(delivery.job_id or "")
        batch_id = job.batch_id if job else None
        services.jobs.disable_webhook({"_id": delivery.job_id, "webhook.url": stored["url"]})
    if batch_id is not None:
        services.jobs.disable_webhook({"batch_id": batch_id, "webhook.url": stored["url"]})
        services.batches.disable_webhook(batch_id, url=stored["url"])
