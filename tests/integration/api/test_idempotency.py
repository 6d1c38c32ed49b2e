"""P18: the same POST twice makes one thing."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx
import pytest

from common.access import Caller
from common.jobs.submit import submit_job
from common.services import Services
from tests.integration.api.work import finish, pdf

CREATING = [
    ("/api/jobs", pdf()),
    ("/api/event-job/jobs", pdf()),
    ("/api/batches", {"jobs": [pdf(1), pdf(2), pdf(3)]}),
    ("/api/event-job/batches", {"jobs": [pdf(1), pdf(2)]}),
]


@pytest.fixture
def key() -> dict[str, str]:
    return {"Idempotency-Key": secrets.token_hex(8)}


@pytest.mark.parametrize(("path", "body"), CREATING)
def test_the_same_key_and_body_give_the_same_answer(
    api: httpx.Client, key: dict[str, str], path: str, body: dict[str, object]
) -> None:
    first, second = (api.post(path, json=body, headers=key) for _ in range(2))
    assert first.status_code == second.status_code == 202
    assert first.json()["data"] == second.json()["data"]
    assert first.headers["Location"] == second.headers["Location"]


@pytest.mark.parametrize(("path", "body"), CREATING)
def test_the_same_key_with_another_body_is_refused(
    api: httpx.Client, key: dict[str, str], path: str, body: dict[str, object]
) -> None:
    assert api.post(path, json=body, headers=key).status_code == 202
    other = body | {"access_control": {"visibility": "public"}}
    answer = api.post(path, json=other, headers=key)
    assert answer.status_code == 422
    assert "Idempotency-Key" in answer.text


def test_concurrent_posts_make_one_job(api: httpx.Client, key: dict[str, str]) -> None:
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: api.post("/api/jobs", json=pdf(), headers=key), range(24)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["job"]["job_id"] for answer in answers}) == 1


def test_concurrent_posts_make_one_batch(api: httpx.Client, services: Services, key: dict[str, str]) -> None:
    body = {"jobs": [pdf(1), pdf(2)], "batch_name": key["Idempotency-Key"]}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: api.post("/api/batches", json=body, headers=key), range(8)))
    assert {answer.status_code for answer in answers} == {202}
    (batch_id,) = {answer.json()["data"]["batch_id"] for answer in answers}
    assert services.database["batches"].count_documents({"batch_name": body["batch_name"]}) == 1
    assert services.database["jobs"].count_documents({"batch_id": batch_id}) == 2


def test_a_key_still_finds_its_job_when_the_job_is_done(
    api: httpx.Client, services: Services, key: dict[str, str]
) -> None:
    job_id = api.post("/api/jobs", json=pdf(), headers=key).json()["job"]["job_id"]
    finish(services, job_id)
    again = api.post("/api/jobs", json=pdf(), headers=key)
    assert (again.status_code, again.json()["job"]["job_id"]) == (202, job_id)


def test_a_key_belongs_to_its_caller(services: Services) -> None:
    key = secrets.token_hex(8)
    alice, bob = (submit_job(services, Caller(user_id=name), pdf(), key=key) for name in ("alice", "bob"))
    assert alice.job_id != bob.job_id


def test_a_key_expires(services: Services) -> None:
    key, caller = secrets.token_hex(8), Caller(user_id="carol")
    first = submit_job(services, caller, pdf(), key=key)
    born = timedelta(hours=services.settings.jobs.idempotency_hours, seconds=1)
    services.database["jobs"].update_one(
        {"_id": first.job_id}, {"$set": {"idempotency.at": first.created_at - born}}
    )
    second = submit_job(services, caller, pdf(2), key=key)
    assert second.job_id != first.job_id
    assert submit_job(services, caller, pdf(2), key=key).job_id == second.job_id


@pytest.mark.parametrize("key", ["", "with blank", "x" * 256, "umlaut-ä"])
def test_a_key_that_is_none_is_refused(api: httpx.Client, key: str) -> None:
    answer = api.post("/api/jobs", json=pdf(), headers=[(b"Idempotency-Key", key.encode())])
    assert answer.status_code == 400
