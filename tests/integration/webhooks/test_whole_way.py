"""P25, P26: webhooks of the running service: signed, logged, sent again, and never in a job's way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook

from common.webhooks.signing import new_secret
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.outbound.loopback import Exchange, Loopback

SAMPLES = Path(__file__).parents[3] / "samples"
PATIENCE_SECONDS = 60.0


@pytest.fixture
def receiver() -> Iterator[Loopback]:
    with Loopback(routes={"/hook": lambda exchange: exchange.reply(204)}) as server:
        yield server


@pytest.fixture
def api(stack: StackServer) -> Iterator[httpx.Client]:
    with stack.client() as client:
        yield client


@pytest.fixture(scope="module")
def pdf() -> Iterator[str]:
    with site(SAMPLES) as address:
        yield f"{address}/slides.pdf"


def submit(api: httpx.Client, source: str, **webhook: Any) -> dict[str, Any]:
    body = {"job_type": "pdf", "parameters": {"url": source}, "webhook": webhook}
    job: dict[str, Any] = api.post("/api/jobs", json=body).raise_for_status().json()["job"]
    return job


def ended(api: httpx.Client, job_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        answer = api.get(f"/api/jobs/{job_id}", params={"wait": 20}).raise_for_status()
        job: dict[str, Any] = answer.json()["job"]
        if job["status"] in ("completed", "failed"):
            return job
    raise AssertionError("the job did not end in time")


def told(receiver: Loopback, count: int) -> list[Exchange]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(receiver.seen) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(receiver.seen) == count
    return receiver.seen


def test_the_end_of_a_job_arrives_signed_and_is_logged(
    api: httpx.Client, receiver: Loopback, pdf: str
) -> None:
    job = submit(api, pdf, url=receiver.url("/hook"), include_markdown=True)
    secret = job["webhook"]["secret"]
    shown = ended(api, job["job_id"])
    (event,) = told(receiver, 1)

    body = Webhook(secret).verify(event.body, event.headers)
    assert (body["type"], body["job_id"], body["status"]) == ("job.completed", job["job_id"], "completed")
    assert body["results"]["markdown_content"] == shown["results"]["markdown_content"]
    assert "secret" not in shown["webhook"]

    log = logged(api, job["job_id"], "delivered")
    assert log["delivery_id"] == event.headers["webhook-id"]
    assert [line["status"] for line in log["attempts"]] == [204]


def logged(api: httpx.Client, job_id: str, state: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        rows: list[dict[str, Any]] = api.get(f"/api/jobs/{job_id}/deliveries").json()["data"]["deliveries"]
        if rows and rows[0]["state"] == state:
            assert len(rows) == 1
            return rows[0]
        time.sleep(0.05)
    raise AssertionError(f"no delivery became {state}")


def test_a_delivery_can_be_sent_again(api: httpx.Client, receiver: Loopback, pdf: str) -> None:
    job = submit(api, pdf, url=receiver.url("/hook"))
    told(receiver, 1)
    delivery = logged(api, job["job_id"], "delivered")
    again = api.post(f"/api/deliveries/{delivery['delivery_id']}/redeliver")
    first, second = told(receiver, 2)

    assert again.status_code == 202
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body


def test_a_receiver_can_be_tried_out(api: httpx.Client, receiver: Loopback, pdf: str) -> None:
    answer = api.post("/api/webhooks/test", json={"webhook": {"url": receiver.url("/hook")}}).json()["data"]
    (event,) = told(receiver, 1)
    refused = api.post("/api/webhooks/test", json={"webhook": {"url": "http://169.254.169.254/"}})

    assert (answer["delivered"], answer["status"]) == (True, 204)
    assert Webhook(answer["secret"]).verify(event.body, event.headers)["type"] == "webhook.test"
    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "URL_NOT_ALLOWED"

    job = submit(api, pdf, url=receiver.url("/gone"))
    of_job = api.post("/api/webhooks/test", json={"job_id": job["job_id"]}).json()["data"]
    assert (of_job["delivered"], of_job["status"]) == (False, 404)
    assert "secret" not in of_job


def test_started_and_progress_arrive_when_asked_for(api: httpx.Client, receiver: Loopback, pdf: str) -> None:
    events = ["job.started", "job.progress", "job.completed"]
    job = submit(api, pdf, url=receiver.url("/hook"), events=events)
    ended(api, job["job_id"])
    deadline = time.monotonic() + PATIENCE_SECONDS
    verifier = Webhook(job["webhook"]["secret"])
    types: list[str] = []
    while "job.completed" not in types and time.monotonic() < deadline:
        time.sleep(0.05)
        types = [verifier.verify(seen.body, seen.headers)["type"] for seen in receiver.seen]

    assert {"job.started", "job.completed"} <= set(types)
    assert len(types) == len(set(types))


def test_receivers_that_hang_delay_no_job(api: httpx.Client, receiver: Loopback, pdf: str) -> None:
    receiver.routes["/hook"] = lambda exchange: exchange.pause(30)
    hanging = [submit(api, pdf, url=receiver.url("/hook"))["job_id"] for _ in range(6)]
    for job_id in hanging:
        assert ended(api, job_id)["status"] == "completed"
    began = time.monotonic()
    plain = api.post("/api/jobs", json={"job_type": "pdf", "parameters": {"url": pdf}}).json()["job"]

    assert ended(api, plain["job_id"])["status"] == "completed"
    assert time.monotonic() - began < 15, "the time-out of a webhook would show here"


@pytest.mark.parametrize(
    "webhook",
    [
        {"url": "http://169.254.169.254/latest"},
        {"url": "file:///etc/passwd"},
        {"url": "https://hooks.example/", "secret": "short"},
        {"url": "https://hooks.example/", "headers": {"Host": "x"}},
        {"url": "https://hooks.example/", "events": ["job.exploded"]},
        {},
    ],
)
def test_a_wrong_webhook_is_refused_by_name(api: httpx.Client, webhook: dict[str, Any]) -> None:
    body = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}, "webhook": webhook}
    answer = api.post("/api/jobs", json=body)

    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"][0]["field"].startswith("webhook")


def test_a_replaced_secret_and_the_new_one_both_verify(
    api: httpx.Client, receiver: Loopback, pdf: str
) -> None:
    first, second = new_secret().text, new_secret().text
    job = submit(api, pdf, url=receiver.url("/hook"), secret=first)
    ended(api, job["job_id"])
    told(receiver, 1)
    changed = api.put(
        f"/api/jobs/{job['job_id']}", json={"webhook": {"url": receiver.url("/hook"), "secret": second}}
    )
    delivery = logged(api, job["job_id"], "delivered")
    api.post(f"/api/deliveries/{delivery['delivery_id']}/redeliver").raise_for_status()
    _, event = told(receiver, 2)

    assert changed.status_code == 200
    assert first not in changed.text
    for secret in (first, second):
        Webhook(secret).verify(event.body, event.headers)


def test_a_webhook_can_be_taken_away(api: httpx.Client, receiver: Loopback, pdf: str) -> None:
    job = submit(api, pdf, url=receiver.url("/hook"))
    ended(api, job["job_id"])
    changed = api.put(f"/api/jobs/{job['job_id']}", json={"webhook": None})

    assert changed.json()["job"]["webhook"] is None
