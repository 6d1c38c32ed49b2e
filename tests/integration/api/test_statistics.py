"""How the service is doing: right figures, told at the same cost however many jobs there are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from common.access import Caller
from common.http.answers import Statistics
from common.jobs import statistics as module
from common.jobs.database import Document
from common.jobs.statistics import statistics, update_statistics
from common.jobs.submit import submit_batch, submit_job
from common.services import Services, build
from common.settings import Settings
from tests.integration.api.work import fail, finish, pdf, start

ADMIN = Caller(user_id="root", is_admin=True)
ALICE = Caller(user_id="alice")


@pytest.fixture
def fresh(settings: Settings) -> Iterator[Services]:
    """A database of its own: statistics are about everything in it."""
    provided = build(settings)
    yield provided
    provided.close()


def session(track: str) -> dict[str, Any]:
    parameters = {"event": "E", "session": "S", "url": "https://example.org/s", "track": track}
    return {"job_type": "session", "parameters": parameters}


def test_the_figures_are_right(fresh: Services) -> None:
    body = {"jobs": [pdf(1), pdf(2), session("Main"), session("Main"), session("Other")]}
    _, (first, second, third, *_) = submit_batch(fresh, ALICE, body, key=None)
    submit_job(fresh, Caller(user_id="bob"), pdf(3), key=None)
    finish(fresh, first)
    fail(fresh, second)
    finish(fresh, third)
    start(fresh, fresh.batches.member_ids(fresh.batches.find({}, limit=1)[0].batch_id)[3])
    update_statistics(fresh)
    found = statistics(fresh, ADMIN, window="24h")
    assert found["jobs"] == {
        "total": 6, "pending": 2, "processing": 1, "completed": 2, "failed": 1, "cancelled": 0,
    }  # fmt: skip
    assert found["batches"] == {"total": 1, "active": 1}
    assert [(row["_id"], row["count"], row["completed"]) for row in found["tracks"]] == [
        ("Main", 2, 1), ("Other", 1, 0),
    ]  # fmt: skip
    kinds = {row["job_type"]: row for row in found["by_type"]}
    assert (kinds["pdf"]["completed"], kinds["pdf"]["failed"], kinds["session"]["pending"]) == (1, 1, 1)
    assert kinds["pdf"]["success_rate"] == 0.5
    assert kinds["pdf"]["median_seconds"] >= 0
    assert found["queue"]["depth"] == 2
    assert 0 <= found["queue"]["oldest_seconds"] < 60
    assert found["success_rate"] == round(2 / 3, 4)
    assert len(found["throughput"]) == 24
    assert found["throughput"][-1]["completed"] + found["throughput"][-2]["completed"] == 2
    Statistics.model_validate({**found, "tracks": []})


def test_a_user_sees_only_their_own_jobs(fresh: Services) -> None:
    submit_job(fresh, ALICE, pdf(1), key=None)
    submit_job(fresh, Caller(user_id="bob"), pdf(2), key=None)
    assert statistics(fresh, ALICE, window="24h")["jobs"]["total"] == 1
    assert statistics(fresh, ADMIN, window="24h")["jobs"]["total"] == 2


@pytest.mark.parametrize(("window", "buckets"), [("24h", 24), ("7d", 28), ("30d", 30)])
def test_a_window_has_its_buckets_and_nothing_twice(fresh: Services, window: str, buckets: int) -> None:
    job = submit_job(fresh, ALICE, pdf(1), key=None)
    finish(fresh, job.job_id)
    for _ in range(3):
        update_statistics(fresh)
    found = statistics(fresh, ADMIN, window=window)["throughput"]
    assert len(found) == buckets
    assert sum(bucket["completed"] for bucket in found) == 1
    assert found == sorted(found, key=lambda bucket: bucket["start"])


def test_a_large_store_is_counted_by_the_sweep_alone(
    fresh: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COUNTED_LIVE", 10)
    submit_batch(fresh, ALICE, {"jobs": [pdf(number) for number in range(30)]}, key=None)
    update_statistics(fresh)
    submit_job(fresh, ALICE, pdf(99), key=None)
    found = statistics(fresh, ADMIN, window="24h")
    assert found["jobs"]["total"] == 30
    update_statistics(fresh)  # too early to count again
    assert statistics(fresh, ADMIN, window="24h")["jobs"]["total"] == 30
    past = fresh.clock() - timedelta(seconds=1)
    fresh.database["statistics"].update_one({"_id": "counts"}, {"$set": {"next_turn": past}})
    update_statistics(fresh)
    assert statistics(fresh, ADMIN, window="24h")["jobs"]["total"] == 31


def test_no_statistic_reads_the_store_document_by_document(
    fresh: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COUNTED_LIVE", 10)
    body = {"jobs": [pdf(number) for number in range(400)] + [session(f"T{n}") for n in range(100)]}
    submit_batch(fresh, ALICE, body, key=None)
    reads = _profiled(fresh, lambda: update_statistics(fresh))
    assert all(read["docsExamined"] == 0 for read in reads), [read["planSummary"] for read in reads]
    reads = _profiled(fresh, lambda: statistics(fresh, ADMIN, window="30d"))
    assert sum(read["keysExamined"] for read in reads) < 50


def test_the_route_tells_them_in_both_forms(api: httpx.Client) -> None:
    answer = api.get("/api/monitoring/events/stats").json()
    assert answer["stats"] == answer["data"]
    assert api.get("/api/monitoring/events/stats?window=1y").status_code == 422


def _profiled(services: Services, act: Any) -> list[Document]:
    database = services.database
    database.command("profile", 2)
    act()
    database.command("profile", 0)
    reads = list(database["system.profile"].find({"ns": f"{database.name}.jobs"}))
    database["system.profile"].drop()
    assert reads
    return [read for read in reads if "planSummary" in read]
