"""Lists: each filter finds what it should, pages do not overlap, and nothing scans the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from common.access import Caller
from common.clock import first_id, utc_now
from common.jobs.database import Document
from common.jobs.lists import COUNT_AT_MOST, list_jobs, list_old_jobs
from common.jobs.queries import JobsQuery, OldJobsQuery
from common.jobs.submit import submit_job
from common.services import Services, build
from common.settings import Settings
from tests.integration.api.work import fail, finish, pdf, start

ADMIN = Caller(user_id="admin", is_admin=True)
ALICE = Caller(user_id="alice", groups=frozenset({"red"}))


def ids(page: dict[str, Any]) -> list[str]:
    return [row["job_id"] for row in page["jobs"]]


def test_each_filter_finds_its_jobs(api: httpx.Client, services: Services) -> None:
    tag = "filters"
    named = pdf(7, job_name="Größe der Übung", tags=[tag])
    made = api.post("/api/batches", json={"jobs": [pdf(1, tags=[tag]), named, pdf(3, tags=[tag])]}).json()
    batch_id, (first, second, third) = made["data"]["batch_id"], made["data"]["job_ids"]
    finish(services, first)
    fail(services, third)

    def found(**query: str) -> list[str]:
        return ids(api.get("/api/jobs", params={"batch_id": batch_id} | query).json())

    assert found() == [third, second, first]
    assert found(status="completed") == [first]
    assert found(status="failed", job_type="pdf") == [third]
    assert found(job_type="session") == []
    assert found(user_id="local", tag=tag) == [third, second, first]
    assert found(user_id="someone-else") == []
    assert found(tag="other") == []
    assert found(q="grosse ubung") == [second]
    assert found(q="7 example") == [second]
    assert found(q="nothing-like-it") == []
    assert found(q=third) == [third]
    api.put(f"/api/jobs/{second}", json={"job_name": "Renamed"}).raise_for_status()
    again = {"parameters": {"url": "https://example.org/moved.pdf"}}
    api.post(f"/api/jobs/{first}/restart", json=again).raise_for_status()
    assert (found(q="renamed 7"), found(q="grosse")) == ([second], [])
    assert (found(q="moved"), found(q="1")) == ([first], [])
    born = services.jobs.get(first)
    assert born is not None
    later = (born.created_at + timedelta(seconds=1)).isoformat()
    assert found(created_before=later) == [third, second, first]
    assert found(created_after=later) == []


def test_pages_follow_each_other_without_gap_or_overlap(api: httpx.Client) -> None:
    made = api.post("/api/batches", json={"jobs": [pdf(n) for n in range(7)]}).json()
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        query = {"batch_id": made["data"]["batch_id"], "limit": "3"} | cursor
        page = api.get("/api/jobs", params=query).json()
        assert (page["total"], page["total_is_exact"]) == (7, True)
        seen += ids(page)
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == sorted(made["data"]["job_ids"], reverse=True)


def test_batches_are_paged_and_filtered(api: httpx.Client) -> None:
    made = [api.post("/api/batches", json={"jobs": [pdf()]}).json()["data"]["batch_id"] for _ in range(3)]
    first = api.get("/api/batches", params={"limit": 2}).json()
    second = api.get("/api/batches", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    rows = [row["batch_id"] for row in first["batches"] + second["batches"]]
    assert rows[:3] == made[::-1]
    assert api.get("/api/batches", params={"archived": "true"}).json()["batches"] == []
    assert _having_ended(api, "false")[:3] == made[::-1]
    for batch_id in made[:2]:
        api.post(f"/api/batches/{batch_id}/cancel").raise_for_status()
    assert set(_having_ended(api, "false")) & set(made) == {made[2]}
    assert set(_having_ended(api, "true")) & set(made) == set(made[:2])


def _having_ended(api: httpx.Client, ended: str) -> list[str]:
    answer = api.get("/api/batches", params={"ended": ended, "limit": 200}).json()
    return [row["batch_id"] for row in answer["batches"]]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "query.limit"), ("limit=201", "query.limit"), ("limit=x", "query.limit"),
        ("status=done", "query.status"), ("created_after=yesterday", "query.created_after"),
        ("created_after=2025-01-01T00:00:00", "query.created_after"), ("wait=26", "query.wait"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_named(api: httpx.Client, query: str, field: str) -> None:
    answer = api.get(f"/api/jobs?{query}")
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"][0]["field"] == field


def test_logs_are_paged(api: httpx.Client, services: Services) -> None:
    job_id = api.post("/api/jobs", json=pdf()).json()["job"]["job_id"]
    finish(services, job_id)
    whole = api.get(f"/api/jobs/{job_id}/logs").json()["data"]
    assert whole["total"] == len(whole["logs"]) == 2
    last = api.get(f"/api/jobs/{job_id}/logs", params={"limit": 1, "skip": 1}).json()["data"]
    assert last["logs"] == whole["logs"][1:]


def test_a_batch_is_waited_for_until_a_member_changes(api: httpx.Client, services: Services) -> None:
    made = api.post("/api/batches", json={"jobs": [pdf(1), pdf(2)]}).json()
    batch_id, since = made["data"]["batch_id"], made["batch"]["version"]
    threading.Timer(0.5, start, (services, made["data"]["job_ids"][0])).start()
    began = time.monotonic()
    batch = api.get(f"/api/batches/{batch_id}", params={"wait": 20, "since": since}).json()["batch"]
    assert (batch["processing_jobs"], batch["pending_jobs"]) == (1, 1)
    assert 0.3 < time.monotonic() - began < 15


def test_a_list_is_waited_for_until_one_of_its_rows_changes(api: httpx.Client, services: Services) -> None:
    made = api.post("/api/batches", json={"jobs": [pdf(1)]}).json()
    query = {"batch_id": made["data"]["batch_id"]}
    since = api.get("/api/jobs", params=query).json()["version"]
    threading.Timer(0.5, start, (services, made["data"]["job_ids"][0])).start()
    page = api.get("/api/jobs", params=query | {"wait": "20", "since": since}).json()
    assert page["jobs"][0]["status"] == "processing"
    assert page["version"] != since


@pytest.fixture
def crowded(settings: Settings) -> Iterator[Services]:
    """Five thousand jobs of many users, states and types."""
    provided = build(settings)
    template = provided.database["jobs"]
    submit_job(provided, ALICE, pdf(0, tags=["t"], job_name="needle"), key=None)
    pattern: Document = template.find_one({}) or {}
    now = utc_now()
    states = ["pending", "processing", "completed", "failed", "cancelled"]
    rows = []
    for number in range(5_000):
        job_id = first_id("job", now - timedelta(seconds=number)) + f"{number:020x}"
        rows.append(
            pattern | {
                "_id": job_id, "job_id": job_id, "status": states[number % 5],
                "job_type": ("pdf", "session", "audio")[number % 3],
                "user_id": f"user-{number % 50}" if number % 10 else "alice",
                "batch_id": f"batch-{number % 100}" if number % 2 else None,
                "tags": [f"t{number % 20}"], "words": ["hay", f"w{number % 500}"],
                "access_control": {"visibility": ("private", "team", "public")[number % 3],
                                   "read_access": ["alice"] if number % 7 == 0 else [],
                                   "write_access": [], "admin_access": []},
            }
        )  # fmt: skip
    template.insert_many(rows)
    yield provided
    provided.close()


QUERIES = [
    {}, {"status": "failed"}, {"job_type": "audio"}, {"job_type": "audio", "status": "failed"},
    {"batch_id": "batch-7"}, {"batch_id": "batch-7", "status": "pending"}, {"user_id": "user-3"},
    {"user_id": "user-3", "status": "completed"}, {"tag": "t3"}, {"q": "hay"}, {"q": "w77"},
    {"created_after": "2020-01-01T00:00:00Z"}, {"created_before": "2020-01-01T00:00:00Z"},
]  # fmt: skip


@pytest.mark.parametrize("caller", [ADMIN, ALICE], ids=["admin", "user"])
def test_no_list_reads_more_than_its_page(crowded: Services, caller: Caller) -> None:
    limit = 10
    for query in QUERIES:
        pages = [JobsQuery(limit=limit, **query), JobsQuery(limit=limit, cursor=_middle(crowded), **query)]  # type: ignore[arg-type]
        for page in pages:
            for read in _profiled(crowded, lambda page=page: list_jobs(crowded, caller, page)):
                what = f"{caller.user_id} {page.model_dump(exclude_none=True)}: {read.get('planSummary')}"
                assert "COLLSCAN" not in read["planSummary"], what
                assert not read.get("hasSortStage"), what
                bound = COUNT_AT_MOST if _is_count(read) else limit + 1
                # An access rule is a union of index scans: a document may be met in several of them.
                slack = 1 if caller.is_admin else 4
                assert read["docsExamined"] <= bound * slack, (what, read["docsExamined"])


def test_the_list_of_a_batch_is_sorted_by_its_index(crowded: Services) -> None:
    query = OldJobsQuery(batch_id="batch-7", limit=10)
    for read in _profiled(crowded, lambda: list_old_jobs(crowded, ADMIN, query)):
        assert not read.get("hasSortStage"), read["planSummary"]


def _middle(services: Services) -> str:
    return services.jobs.find({}, limit=1, skip=2_500)[0].job_id


def _is_count(read: Document) -> bool:
    return "aggregate" in read["command"]


def _profiled(services: Services, act: Any) -> list[Document]:
    """What the database says about each read of `act`."""
    database: Database[Document] = services.database
    database.command("profile", 0)
    database["system.profile"].drop()
    database.command("profile", 2)
    act()
    database.command("profile", 0)
    reads = list(database["system.profile"].find({"ns": f"{database.name}.jobs"}))
    assert reads
    return [read for read in reads if "planSummary" in read]
