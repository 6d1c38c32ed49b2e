"""P22, P24: one attempt at a delivery, against receivers of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from standardwebhooks import Webhook

from common.jobs.submit import submit_batch
from common.webhooks.delivery import DeliveryState
from common.webhooks.publish import publish_job
from common.webhooks.store import Delivery
from tests.integration.webhooks.conftest import ANNA, SECRET, Sender, end_job
from tests.unit.outbound.loopback import Exchange


def answer(status: int, **headers: str) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.reply(
        status, {name.replace("_", "-"): value for name, value in headers.items()}
    )


def silence(exchange: Exchange) -> None:
    exchange.pause(10)


def slow_body(exchange: Exchange) -> None:
    exchange.head(200, {"Content-Length": "1000"})
    for _ in range(100):
        exchange.send(b"x")
        exchange.pause(0.1)


def attempted(sender: Sender, route: Callable[[Exchange], None]) -> Delivery:
    sender.receiver.routes["/hook"] = route
    delivery_id = sender.ended(sender.submit())
    sender.attempt(delivery_id)
    delivery = sender.services.deliveries.get(delivery_id)
    assert delivery is not None
    return delivery


@pytest.mark.parametrize(
    ("route", "state", "reason"),
    [
        (answer(200), DeliveryState.DELIVERED, "answered 200"),
        (answer(204), DeliveryState.DELIVERED, "answered 204"),
        (answer(302, Location="/elsewhere"), DeliveryState.PENDING, "answered 302"),
        (answer(400), DeliveryState.PENDING, "answered 400"),
        (answer(410), DeliveryState.DISABLED, "answered 410: the receiver wants no more"),
        (answer(429, Retry_After="120"), DeliveryState.PENDING, "answered 429"),
        (answer(500), DeliveryState.PENDING, "answered 500"),
        (silence, DeliveryState.PENDING, "timeout"),
        (Exchange.reset, DeliveryState.PENDING, "reset"),
        (slow_body, DeliveryState.PENDING, "timeout"),
    ],
    ids=["200", "204", "302", "400", "410", "429", "500", "timeout", "reset", "slow body"],
)
def test_an_attempt_ends_as_the_receiver_answers(
    sender: Sender, route: Callable[[Exchange], None], state: DeliveryState, reason: str
) -> None:
    delivery = attempted(sender, route)

    assert (delivery.state, delivery.reason) == (state, reason)
    assert [(line["number"], line["reason"]) for line in delivery.attempts] == [(1, reason)]
    assert len(sender.receiver.seen) == 1, "a redirect is an answer, not a way to go"


def test_what_arrives_is_signed_and_has_the_seeds_form(sender: Sender) -> None:
    sender.hook = {"headers": {"Authorization": "Bearer mine"}}
    job = sender.submit()
    sender.attempt(sender.ended(job))
    (told,) = sender.told()

    body = Webhook(SECRET).verify(told.body, told.headers)
    assert (body["job_id"], body["job_type"], body["status"]) == (job.job_id, "pdf", "completed")
    assert body["progress"]["percent"] == 100
    assert told.headers["authorization"] == "Bearer mine"
    assert told.headers["content-type"] == "application/json"


def test_a_retry_keeps_the_id_and_has_a_timestamp_of_its_own(sender: Sender) -> None:
    sender.receiver.routes["/hook"] = answer(500)
    delivery_id = sender.ended(sender.submit())
    sender.attempt(delivery_id)
    sender.attempt(delivery_id)
    assert len(sender.told()) == 1, "the second attempt is not due yet"

    sender.receiver.routes["/hook"] = answer(200)
    sender.services.database["deliveries"].update_one(
        {"_id": delivery_id}, [{"$set": {"not_before": "$$NOW"}}]
    )
    sender.attempt(delivery_id)
    first, second = sender.told()

    assert first.headers["webhook-id"] == second.headers["webhook-id"] == delivery_id
    assert int(first.headers["webhook-timestamp"]) <= int(second.headers["webhook-timestamp"])
    assert first.body == second.body
    for told in (first, second):
        Webhook(SECRET).verify(told.body, told.headers)


def test_a_retry_waits_as_long_as_the_receiver_asks(sender: Sender) -> None:
    delivery = attempted(sender, answer(429, Retry_After="120"))

    wait = (delivery.not_before - sender.services.jobs.now()).total_seconds()
    assert 100 < wait <= 120


def test_a_receiver_that_is_gone_hears_of_nothing_more(sender: Sender) -> None:
    job = sender.submit(events=["job.started", "job.completed"])
    claimed = sender.services.jobs.claim(job.job_id, "worker")
    assert claimed is not None
    assert [entry["event"] for entry in claimed.outbox] == ["job.started"]

    gone = attempted(sender, answer(410))
    stored = sender.services.jobs.get(gone.job_id or "")
    assert stored is not None
    assert (stored.webhook or {})["disabled_at"] is not None
    assert sender.services.control.restart(stored.job_id, parameters={})
    again = sender.services.jobs.claim(stored.job_id, "worker")
    assert again is not None
    assert again.outbox == ()


def test_what_waits_for_a_receiver_that_is_gone_is_not_sent(sender: Sender) -> None:
    sender.hook = {"events": ["job.started", "job.completed"]}
    sender.receiver.routes["/hook"] = answer(410)
    job = sender.submit()
    ended = sender.ended(job)
    started, *_ = (
        one.delivery_id
        for one in sender.services.deliveries.of_job(job.job_id, limit=10, skip=0)
        if one.delivery_id != ended
    )
    sender.attempt(started)
    sender.attempt(ended)
    delivery = sender.services.deliveries.get(ended)

    assert len(sender.told()) == 1
    assert delivery is not None
    assert delivery.state is DeliveryState.DISABLED
    assert "410" in (delivery.reason or "")


@pytest.mark.parametrize("own", [True, False], ids=["its own receiver", "the batch's receiver"])
def test_a_members_receiver_that_is_gone_is_the_batchs_only_if_they_share_it(
    sender: Sender, own: bool
) -> None:
    services = sender.services
    sender.receiver.routes |= {"/hook": answer(410), "/batch": answer(204)}
    hook = {"url": sender.receiver.url("/batch" if own else "/hook"), "secret": SECRET}
    events = {"events": ["batch.completed", "job.completed"]}
    member: dict[str, object] = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}}
    if own:
        member["webhook"] = {"url": sender.receiver.url("/hook"), "secret": SECRET}
    body = {"jobs": [member], "webhook": hook | events}
    batch, (job_id,) = submit_batch(services, ANNA, body, key=None)
    job = services.jobs.get(job_id)
    assert job is not None
    sender.attempt(sender.ended(job))
    stored = services.batches.get(batch.batch_id)

    assert stored is not None
    assert ((stored.webhook or {})["disabled_at"] is None) == own


def test_markdown_joins_the_event_when_it_was_asked_for(sender: Sender) -> None:
    services = sender.services
    job = sender.submit(include_markdown=True)
    stored = services.objects.put(f"jobs/{job.job_id}/1/a.md", b"# Titel", "text/markdown")
    file = {"path": "a.md", "key": stored.key, "size": stored.size, "media_type": "text/markdown"}
    end_job(services, job, results={"markdown_file": "a.md"}, files=[file])
    publish_job(services, job.job_id)
    (delivery,) = services.deliveries.of_job(job.job_id, limit=10, skip=0)
    assert "Titel" not in json.dumps(delivery.event), "long texts stay in the object store"
    sender.attempt(delivery.delivery_id)

    (told,) = sender.told()
    assert json.loads(told.body)["results"]["markdown_content"] == "# Titel"


def test_an_address_that_moved_inside_is_refused_at_the_attempt(sender: Sender) -> None:
    job = sender.submit()
    sender.services.database["jobs"].update_one(
        {"_id": job.job_id}, {"$set": {"webhook.url": "http://169.254.169.254/latest"}}
    )
    delivery_id = sender.ended(job)
    sender.attempt(delivery_id)
    delivery = sender.services.deliveries.get(delivery_id)

    assert delivery is not None
    assert (delivery.state, delivery.reason) == (
        DeliveryState.GIVEN_UP,
        "the address is not allowed (address)",
    )
