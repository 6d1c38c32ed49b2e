"""Statistics: what the dashboard shows at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from common.access import Caller
from common.jobs.statistics import WINDOWS, read_statistics, refresh_statistics
from common.jobs.store import Run
from common.jobs.submit import submit_job
from common.services import Services, build
from common.settings import Settings

ADMIN = Caller(user_id="admin", is_admin=True)
ANNA = Caller(user_id="anna")


@pytest.fixture
def services(settings: Settings) -> Iterator[Services]:
    """A database of this test's own, as everything in it is counted."""
    provided = build(settings)
    yield provided
    provided.close()


def submit(services: Services, caller: Caller, track: str | None = None) -> str:
    url = "https://example.org/a"
    session = {"event": "E", "session": "S", "url": url, "filename": "f", "track": track}
    body = {"job_type": "session" if track else "pdf", "parameters": session if track else {"url": url}}
    return submit_job(services, caller, body, key=None).job_id


def end(services: Services, job_id: str, *, well: bool) -> None:
    job = services.jobs.claim(job_id, "w")
    assert job is not None
    run = Run(job_id=job_id, attempt=job.attempt, worker_id="w")
    if well:
        assert services.jobs.complete(
            run, results={}, files=[], cache_prefixes=[], progress={}, expires_after=None
        )
    else:
        assert services.jobs.fail(run, error={"code": "X", "message": "", "details": {}}, expires_after=None)


def test_everything_is_counted(services: Services) -> None:
    ids = [submit(services, ANNA, "Tools") for _ in range(3)] + [submit(services, ADMIN)]
    end(services, ids[0], well=True)
    end(services, ids[1], well=True)
    end(services, ids[2], well=False)

    found = read_statistics(services, ADMIN, window="24h")

    counts = {"total": 4, "pending": 1, "processing": 0, "completed": 2, "failed": 1, "cancelled": 0}
    assert found["jobs"] == counts
    assert [(one["job_type"], one["total"]) for one in found["types"]] == [("pdf", 1), ("session", 3)]
    assert found["tracks"] == [{"_id": "Tools", "count": 3, "completed": 2, "failed": 1}]
    assert found["success_rate"] == pytest.approx(2 / 3, abs=1e-3)
    assert sum(row["count"] for row in found["throughput"]) == 3
    assert all(row["mean_seconds"] >= 0 for row in found["throughput"])
    assert found["queue"]["depth"] == 1
    assert found["queue"]["oldest_seconds"] >= 0
    assert found["types"][1]["median_seconds"] >= 0


def test_others_see_their_own_jobs_only(services: Services) -> None:
    submit(services, ANNA, "Tools")
    submit(services, ADMIN, "Secrets")

    found = read_statistics(services, ANNA, window="24h")

    assert found["jobs"]["total"] == 1
    assert [one["_id"] for one in found["tracks"]] == ["Tools"]


def test_a_costly_snapshot_is_left_to_the_sweep(services: Services) -> None:
    read_statistics(services, ADMIN, window="24h")
    submit(services, ADMIN)
    long_ago = services.clock() - timedelta(hours=1)
    costly = {"$set": {"seconds": 2.0, "at": long_ago}}
    services.database["statistics"].update_one({"_id": "all:24h"}, costly)

    before = read_statistics(services, ADMIN, window="24h")
    refreshed = refresh_statistics(services)
    after = read_statistics(services, ADMIN, window="24h")

    assert before["jobs"]["total"] == 0
    assert refreshed == len(WINDOWS)
    assert after["jobs"]["total"] == 1


def test_an_empty_store_has_figures_too(services: Services) -> None:
    found = read_statistics(services, ADMIN, window="1h")

    assert found["jobs"]["total"] == 0
    assert (found["success_rate"], found["queue"]["oldest_seconds"], found["tracks"]) == (None, None, [])


def test_a_users_own_figures_never_wait_for_the_sweep(services: Services) -> None:
    read_statistics(services, ANNA, window="24h")
    submit(services, ANNA)
    long_ago = services.clock() - timedelta(hours=1)
    services.database["statistics"].update_one(
        {"_id": "user:24h:anna"}, {"$set": {"seconds": 2.0, "at": long_ago}}
    )

    assert read_statistics(services, ANNA, window="24h")["jobs"]["total"] == 1


@pytest.mark.parametrize("caller", [ADMIN, ANNA], ids=["all", "own"])
def test_no_figure_is_sorted_or_scanned_together(services: Services, caller: Caller) -> None:
    for number in range(40):
        job_id = submit(services, ANNA, f"T{number % 3}")
        end(services, job_id, well=True) if number % 2 else None
    services.database.command("profile", 2)
    read_statistics(services, caller, window="30d")
    services.database.command("profile", 0)

    reads = list(services.database["system.profile"].find({"ns": f"{services.database.name}.jobs"}))

    assert len(reads) >= 4
    for read in reads:
        assert "COLLSCAN" not in read["planSummary"], read["command"]
    counted = [
        read for read in reads if read["planSummary"].startswith("IXSCAN { job_type") and "group" in str(read)
    ]
    assert caller is ANNA or any(read["docsExamined"] == 0 for read in counted)
