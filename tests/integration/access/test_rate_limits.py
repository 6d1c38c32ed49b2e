"""P48: a caller who asks too often is told so, and when to come back."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from common.access import Caller
from common.errors import TooManyRequests, UnknownJobType
from common.jobs.submit import submit_batch, submit_job
from common.rate_limits import RateLimiter, refuse_if_over
from common.services import Services
from common.settings import RateLimits
from tests.servers.gateway import gateway
from tests.servers.seaweed import SeaweedServer

SECRET = "the gateway proves itself with this"
JOB = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}}


@pytest.fixture
def environment(database_environment: dict[str, str], object_server: SeaweedServer) -> dict[str, str]:
    return (
        database_environment
        | object_server.environment
        | {
            "SECRETARY_ACCESS__MODE": "gateway",
            "SECRETARY_ACCESS__GATEWAY_SECRET": SECRET,
            "SECRETARY_RATE_LIMITS__REQUESTS_PER_MINUTE": "5",
            "SECRETARY_RATE_LIMITS__JOBS_PER_DAY": "3",
        }
    )


@pytest.fixture
def api(environment: dict[str, str], tmp_path: Path) -> Iterator[httpx.Client]:
    with gateway(environment, tmp_path) as url, httpx.Client(base_url=url) as client:
        yield client


def limiter(services: Services, limit: int | None) -> RateLimiter:
    return RateLimiter(services.database, RateLimits(requests_per_minute=limit))


def next_window(services: Services) -> None:
    """As if a minute and a day had passed."""
    for window in ("minute", "day"):
        earlier = {"$dateSubtract": {"startDate": f"${window}.at", "unit": window, "amount": 1}}
        services.database["rate_limits"].update_many(
            {f"{window}.at": {"$type": "date"}}, [{"$set": {f"{window}.at": earlier}}]
        )


def early_in_a_minute(services: Services) -> None:
    """So that no window ends while a test counts."""
    while services.jobs.now().second > 45:
        time.sleep(0.2)


def test_the_requests_of_a_caller_are_counted_until_the_window_ends(services: Services) -> None:
    limits = limiter(services, 2)
    early_in_a_minute(services)
    taken = [limits.take_request("anna") for _ in range(3)]

    assert [item.used for item in taken if item] == [1, 2, 3]
    first = taken[0]
    assert first is not None
    assert first.headers["RateLimit-Limit"] == "2"
    assert first.headers["RateLimit-Remaining"] == "1"
    assert 0 < int(first.headers["RateLimit-Reset"]) <= 60
    last = taken[2]
    assert last is not None
    with pytest.raises(TooManyRequests):
        refuse_if_over(last)

    next_window(services)
    fresh = limits.take_request("anna")
    assert fresh is not None
    assert fresh.used == 1


def test_callers_do_not_use_up_each_others_rate(services: Services) -> None:
    limits = limiter(services, 2)
    early_in_a_minute(services)
    for _ in range(5):
        limits.take_request("anna")
    other = limits.take_request("bert")

    assert other is not None
    assert other.used == 1


def test_requests_at_the_same_moment_are_all_counted(services: Services) -> None:
    limits = limiter(services, 10_000)
    early_in_a_minute(services)
    threads = [
        threading.Thread(target=lambda: [limits.take_request("anna") for _ in range(20)]) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = limits.take_request("anna")

    assert last is not None
    assert last.used == 101


def test_without_a_limit_nothing_is_counted(services: Services) -> None:
    assert limiter(services, None).take_request("anna") is None
    assert services.database["rate_limits"].count_documents({}) == 0


def test_a_day_has_its_jobs_and_a_batch_that_is_too_large_stores_nothing(services: Services) -> None:
    anna = Caller(user_id="anna")
    submit_job(services, anna, JOB, key=None)
    with pytest.raises(TooManyRequests) as refusal:
        submit_batch(services, anna, {"jobs": [JOB, JOB, JOB]}, key=None)

    assert refusal.value.retry_after is not None
    assert 0 < refusal.value.retry_after <= 86_400
    assert services.database["jobs"].count_documents({}) == 1
    next_window(services)
    submit_batch(services, anna, {"jobs": [JOB, JOB, JOB]}, key=None)


def test_only_jobs_that_were_stored_count(services: Services) -> None:
    """Neither a batch that is too large, nor one with a mistake, nor a repeated request."""
    anna = Caller(user_id="anna")
    with pytest.raises(TooManyRequests):
        submit_batch(services, anna, {"jobs": [JOB] * 4}, key=None)
    with pytest.raises(UnknownJobType):
        submit_batch(services, anna, {"jobs": [JOB, JOB, {"job_type": "unknown"}]}, key=None)
    first = submit_job(services, anna, JOB, key="one")
    again = submit_job(services, anna, JOB, key="one")
    batch, _ = submit_batch(services, anna, {"jobs": [JOB, JOB]}, key="two")

    assert first.job_id == again.job_id
    assert submit_batch(services, anna, {"jobs": [JOB, JOB]}, key="two")[0].batch_id == batch.batch_id
    assert submit_job(services, anna, JOB, key="one").job_id == first.job_id, "told though the day is used up"
    with pytest.raises(TooManyRequests):
        submit_job(services, anna, JOB, key="three")


def test_the_api_tells_what_is_left_and_refuses_what_is_too_much(
    api: httpx.Client, services: Services
) -> None:
    headers = {"X-Gateway-Secret": SECRET, "X-User-ID": "anna"}
    early_in_a_minute(services)
    answers = [api.get("/api/jobs", headers=headers) for _ in range(6)]

    assert [answer.headers["RateLimit-Remaining"] for answer in answers] == ["4", "3", "2", "1", "0", "0"]
    refused = answers[-1]
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "RATE_LIMITED"
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit-Remaining"] == "0"
    assert api.get("/api/jobs", headers=headers | {"X-User-ID": "bert"}).status_code == 200
    assert api.get("/health").status_code == 200
    assert "RateLimit-Limit" not in api.get("/health").headers
