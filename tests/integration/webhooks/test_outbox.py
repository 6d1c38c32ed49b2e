"""P3, P5: each change of state is one event with one id, whoever dies and however often it is announced."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from common.access import Caller
from common.errors import Cancelled, Unavailable
from common.jobs.database import connect
from common.jobs.lifecycle import JobStatus
from common.jobs.model import Job
from common.jobs.store import Run
from common.jobs.submit import submit_batch, submit_job
from common.jobs.sweep import sweep
from common.objects.store import ObjectStore
from common.queue.base import NOTIFY_QUEUE
from common.queue.mongo import MongoQueue
from common.services import Services
from common.settings import Mongodb, Objects
from common.webhooks.publish import publish_batch, publish_job, publish_progress
from tests.integration.webhooks.conftest import ANNA, ERROR, SECRET, Sender, end_job
from tests.unit.outbound.loopback import Exchange

PDF: dict[str, Any] = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}}


def deliveries(services: Services, job: Job) -> list[str]:
    return sorted(item.event_type for item in services.deliveries.of_job(job.job_id, limit=100, skip=0))


def test_a_job_without_a_webhook_leaves_no_mark_and_no_delivery(services: Services) -> None:
    job = submit_job(services, ANNA, PDF, key=None)
    end_job(services, job)
    publish_job(services, job.job_id)

    stored = services.jobs.get(job.job_id)
    assert stored is not None
    assert stored.outbox == ()
    assert deliveries(services, job) == []


def test_only_the_events_that_were_asked_for_are_marked(sender: Sender) -> None:
    job = sender.submit(events=["job.failed"])
    end_job(sender.services, job)
    stored = sender.services.jobs.get(job.job_id)

    assert stored is not None
    assert stored.outbox == ()


def test_an_event_announced_many_times_at_once_is_one_delivery(sender: Sender) -> None:
    job = sender.submit()
    end_job(sender.services, job)
    threads = [threading.Thread(target=publish_job, args=(sender.services, job.job_id)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (delivery,) = sender.services.deliveries.of_job(job.job_id, limit=10, skip=0)
    for _ in range(3):
        sender.attempt(delivery.delivery_id)
    assert [told.headers["webhook-id"] for told in sender.told()] == [delivery.delivery_id]


def test_a_worker_that_dies_after_the_end_is_made_up_for_by_the_sweep(sender: Sender) -> None:
    job = sender.submit()
    end_job(sender.services, job)  # and nobody publishes
    assert deliveries(sender.services, job) == []

    sweep(sender.services)
    sweep(sender.services)

    assert deliveries(sender.services, job) == ["job.completed"]
    assert sender.services.queue.depth([NOTIFY_QUEUE]) == {NOTIFY_QUEUE: 1}
    stored = sender.services.jobs.get(job.job_id)
    assert stored is not None
    assert stored.outbox == ()


def test_a_message_that_is_lost_is_sent_again_by_the_sweep(sender: Sender) -> None:
    delivery_id = sender.ended(sender.submit())
    sender.services.database["messages"].delete_many({})
    sender.services.database["deliveries"].update_one(
        {"_id": delivery_id}, [{"$set": {"resend_at": "$$NOW"}}]
    )

    assert sweep(sender.services).notified == 1
    (message,) = sender.services.queue.receive([NOTIFY_QUEUE], limit=1, wait_seconds=1)
    assert message.message.subject_id == delivery_id
    assert sweep(sender.services).notified == 0


def test_two_who_hold_the_same_message_make_one_attempt(sender: Sender) -> None:
    def thoughtful(exchange: Exchange) -> None:
        exchange.pause(0.3)
        exchange.reply(200)

    sender.receiver.routes["/hook"] = thoughtful
    delivery_id = sender.ended(sender.submit())
    threads = [threading.Thread(target=sender.attempt, args=(delivery_id,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(sender.told()) == 1


def test_a_run_that_lost_its_lease_announces_nothing(sender: Sender) -> None:
    services = sender.services
    job = sender.submit()
    assert services.jobs.claim(job.job_id, "first") is not None
    past = {"lease.expires_at": {"$subtract": ["$$NOW", 1]}}
    services.database["jobs"].update_one({"_id": job.job_id}, [{"$set": past}])
    assert services.jobs.claim(job.job_id, "second") is not None
    stale = Run(job_id=job.job_id, attempt=1, worker_id="first")

    assert not services.jobs.fail(stale, error=ERROR, expires_after=None)
    publish_job(services, job.job_id)
    assert deliveries(services, job) == []


def test_each_end_of_a_restarted_job_is_an_event_of_its_own(sender: Sender) -> None:
    services = sender.services
    job = sender.submit()
    first = sender.ended(job, failed=True)
    assert services.control.restart(job.job_id, parameters=job.parameters)
    sender.ended(job)

    ids = {item.delivery_id for item in services.deliveries.of_job(job.job_id, limit=10, skip=0)}
    assert deliveries(services, job) == ["job.completed", "job.failed"]
    assert len(ids) == 2
    assert first in ids


def test_a_job_cancelled_twice_while_it_waits_has_two_events(sender: Sender) -> None:
    services = sender.services
    job = sender.submit()
    error = Cancelled("stop").as_dict()
    for _ in range(2):
        assert services.control.cancel_waiting(job.job_id, error=error, expires_after=None)
        publish_job(services, job.job_id)
        assert services.control.restart(job.job_id, parameters=job.parameters)

    assert deliveries(services, job) == ["job.cancelled", "job.cancelled"]


def test_started_and_progress_are_told_to_those_who_asked(sender: Sender) -> None:
    services = sender.services
    job = sender.submit(events=["job.started", "job.progress"])
    claimed = services.jobs.claim(job.job_id, "worker")
    assert claimed is not None
    publish_job(services, job.job_id)
    publish_progress(services, claimed, {"step": "pages", "percent": 40.0, "message": ""}, number=7)
    publish_progress(services, claimed, {"step": "pages", "percent": 40.0, "message": ""}, number=7)

    found = {item.event_type: item for item in services.deliveries.of_job(job.job_id, limit=10, skip=0)}
    assert sorted(found) == ["job.progress", "job.started"]
    assert found["job.progress"].event["progress"]["percent"] == 40.0
    assert {item.event["status"] for item in found.values()} == {"processing"}


def test_a_batch_tells_its_end_once_and_its_members_only_when_asked(sender: Sender) -> None:
    services = sender.services
    hook = {"url": sender.receiver.url("/hook"), "secret": SECRET}
    quiet, _ = submit_batch(services, ANNA, {"jobs": [PDF, PDF], "webhook": hook}, key=None)
    chatty = {"events": ["batch.completed", "job.completed"]}
    loud, members = submit_batch(services, ANNA, {"jobs": [PDF], "webhook": hook | chatty}, key=None)

    for batch in (quiet, loud):
        for job in services.batches.members(batch.batch_id, [JobStatus.PENDING]):
            end_job(services, job)
            publish_job(services, job.job_id)
            if services.batches.close_if_done(batch.batch_id):
                publish_batch(services, batch.batch_id)
            assert services.batches.close_if_done(batch.batch_id) is None

    found = list(services.database["deliveries"].find().sort("created_at", 1))
    told = sorted((item["event_type"], item["batch_id"] or item["job_id"]) for item in found)
    assert told == sorted(
        [
            ("batch.completed", quiet.batch_id),
            ("batch.completed", loud.batch_id),
            ("job.completed", members[0]),
        ]
    )
    ended = next(item for item in found if item["batch_id"] == quiet.batch_id)["event"]
    assert (ended["status"], ended["total_jobs"], ended["completed_jobs"]) == ("completed", 2, 2)


def test_an_empty_batch_tells_its_end_too(sender: Sender) -> None:
    hook = {"url": sender.receiver.url("/hook"), "secret": SECRET}
    batch, _ = submit_batch(sender.services, ANNA, {"jobs": [], "webhook": hook}, key=None)
    sweep(sender.services)

    (told,) = sender.services.database["deliveries"].find()
    assert told["batch_id"] == batch.batch_id


def test_a_queue_that_is_away_while_publishing_costs_nothing_but_time(sender: Sender) -> None:
    job = sender.submit()
    end_job(sender.services, job)
    nowhere = Mongodb(uri=SecretStr("mongodb://127.0.0.1:1/"), connect_timeout_ms=200)
    unreachable = connect(nowhere)
    away = MongoQueue(unreachable, visibility_seconds=60, max_deliveries=10, poll_seconds=1)

    publish_job(replace(sender.services, queue=away), job.job_id)
    unreachable.client.close()
    sweep(sender.services)

    assert deliveries(sender.services, job) == ["job.completed"]
    assert sender.services.queue.depth([NOTIFY_QUEUE]) == {NOTIFY_QUEUE: 1}


def test_an_object_store_that_is_away_holds_up_no_webhook_and_no_batch(sender: Sender) -> None:
    services, past = sender.services, [{"$set": {"expires_at": "$$NOW", "check_at": "$created_at"}}]
    old, told = sender.submit(), sender.submit()
    open_batch, (member,) = submit_batch(services, ANNA, {"jobs": [PDF]}, key=None)
    emptied, (gone,) = submit_batch(services, ANNA, {"jobs": [PDF]}, key=None)
    for job in (old, told, services.jobs.get(member)):
        assert job is not None
        end_job(services, job)
    services.database["jobs"].delete_one({"_id": gone})
    services.database["jobs"].update_one({"_id": old.job_id}, past)
    services.database["batches"].update_many({}, past)
    nowhere = Objects(endpoint_url="http://127.0.0.1:1", access_key_id="x", secret_access_key=SecretStr("x"))

    with pytest.raises(Unavailable):
        sweep(replace(services, objects=ObjectStore(nowhere)))

    assert deliveries(services, told) == ["job.completed"]
    closed = services.batches.get(open_batch.batch_id)
    assert closed is not None
    assert closed.closed_at is not None
    services.database["batches"].update_many({"_id": emptied.batch_id}, past)
    sweep(services)
    assert services.batches.get(emptied.batch_id) is None


def test_the_generated_secret_is_in_the_first_answer_alone(sender: Sender) -> None:
    hook = {"url": sender.receiver.url("/hook")}
    body = PDF | {"webhook": hook}
    first = submit_job(sender.services, Caller(user_id="anna"), body, key="once")
    again = submit_job(sender.services, Caller(user_id="anna"), body, key="once")

    assert first.job_id == again.job_id
    assert (first.webhook or {})["shown_secret"].startswith("whsec_")
    assert "shown_secret" not in (again.webhook or {})
    stored = sender.services.database["jobs"].find_one({"_id": first.job_id})
    assert (first.webhook or {})["shown_secret"] not in str(stored)


def test_what_is_printed_of_a_job_or_batch_has_no_secret_of_its_webhook(sender: Sender) -> None:
    body = PDF | {"webhook": {"url": sender.receiver.url("/hook?token=hunter2")}}
    job = submit_job(sender.services, ANNA, body, key=None)
    batch, _ = submit_batch(sender.services, ANNA, {"jobs": [], "webhook": body["webhook"]}, key=None)

    for printed in (repr(job), repr(batch)):
        assert "whsec_" not in printed
        assert "hunter2" not in printed
