"""The routes of the first clients answer in the form those clients read."""

from __future__ import annotations

import base64
from typing import Any

import httpx

from common.services import Services
from tests.integration.api.work import EMPTY_ZIP as ZIP
from tests.integration.api.work import fail, finish, pdf


def create(api: httpx.Client, **more: object) -> dict[str, Any]:
    answer = api.post("/api/event-job/jobs", json=pdf(1, **more))
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()["job"]
    return job


def test_a_job_is_created_read_and_listed_on_every_old_path(api: httpx.Client) -> None:
    for path in ("/api/event-job/jobs", "/api/event-job/submit", "/api/events/jobs"):
        answer = api.post(path, json=pdf())
        body = answer.json()
        assert body["job_id"] == body["job"]["job_id"]
        assert body["job"]["status"] == "pending"
        for read in ("/api/event-job/jobs/", "/api/event-job/status/", "/api/events/jobs/"):
            assert api.get(read + body["job_id"]).json()["job"]["job_id"] == body["job_id"]
        listed = api.get(path.replace("submit", "jobs")).json()
        assert body["job_id"] in [job["job_id"] for job in listed["jobs"]]
        assert listed["total"] >= len(listed["jobs"])


def test_a_job_without_a_type_is_a_session(api: httpx.Client) -> None:
    answer = api.post("/api/event-job/jobs", json={"parameters": {"url": "https://example.org/"}}).json()
    assert "session" in answer["message"] or answer["error_code"] == "VALIDATION_FAILED", answer
    refused = api.post("/api/jobs", json={"parameters": {}}).json()
    assert refused["error"]["details"]["fields"][0]["field"] == "job_type"


def test_the_archive_is_inside_the_job_as_base64(api: httpx.Client, services: Services) -> None:
    job_id = create(api)["job_id"]
    finish(services, job_id, markdown="# Hallo", archive=ZIP)
    results = api.get(f"/api/event-job/jobs/{job_id}").json()["job"]["results"]
    assert base64.b64decode(results["archive_data"]) == ZIP
    assert results["archive_filename"] == "vault.zip"
    assert results["markdown_content"] == "# Hallo"
    assert results["structured_data"]["topic"] == "tests"
    assert api.get(f"/api/jobs/{job_id}").json()["job"]["results"]["archive_data"] is None


def test_an_archive_too_large_for_an_answer_stays_a_download(api: httpx.Client, services: Services) -> None:
    job_id = create(api)["job_id"]
    finish(services, job_id, archive=bytes(services.settings.limits.inline_archive_bytes + 1))
    results = api.get(f"/api/event-job/jobs/{job_id}").json()["job"]["results"]
    assert results["archive_data"] is None
    answer = api.get(f"/api/event-job/jobs/{job_id}/download-archive", follow_redirects=True)
    assert len(answer.content) == results["archive_size"]


def test_a_batch_that_failed_in_part_reads_completed(api: httpx.Client, services: Services) -> None:
    body = {"total_jobs": 2, "jobs": [pdf(1), pdf(2)]}
    made = api.post("/api/event-job/batches", json=body).json()
    batch_id = made["batch"]["batch_id"]
    first, second = made["data"]["job_ids"]
    finish(services, first, archive=ZIP)
    fail(services, second)
    old = api.get(f"/api/event-job/batches/{batch_id}").json()["batch"]
    assert (old["status"], old["completed_jobs"], old["failed_jobs"]) == ("completed", 1, 1)
    assert old["job_ids"] == [first, second]
    assert api.get(f"/api/batches/{batch_id}").json()["batch"]["status"] == "partial"


def test_the_list_of_a_batch_carries_the_results_its_client_reads(
    api: httpx.Client, services: Services
) -> None:
    made = api.post("/api/event-job/batches", json={"jobs": [pdf(1), pdf(2)]}).json()
    for job_id in made["data"]["job_ids"]:
        finish(services, job_id, archive=ZIP)
    rows = api.get("/api/event-job/jobs", params={"batch_id": made["batch_id"]}).json()["jobs"]
    assert len(rows) == 2
    assert all(row["results"]["archive_data"] and row["results"]["markdown_content"] for row in rows)


def test_the_texts_of_a_list_share_what_one_answer_may_carry(api: httpx.Client, services: Services) -> None:
    limits = services.settings.limits
    long = "x" * limits.inline_markdown_bytes
    fitting = limits.inline_archive_bytes // limits.inline_markdown_bytes
    made = api.post("/api/event-job/batches", json={"jobs": [pdf(n) for n in range(fitting + 2)]}).json()
    for job_id in made["data"]["job_ids"]:
        finish(services, job_id, markdown=long, archive=ZIP)
    rows = api.get("/api/event-job/jobs", params={"batch_id": made["batch_id"]}).json()["jobs"]

    told = [row["results"]["markdown_content"] for row in rows]
    assert told == [long] * fitting + [None, None]
    assert all(row["results"]["archive_data"] and row["results"]["markdown_url"] for row in rows)


def test_errors_are_texts_that_a_client_can_print(api: httpx.Client) -> None:
    body = api.get("/api/event-job/jobs/job-unknown").json()
    assert body["error"] == body["message"] == "There is no such job."
    assert body["error_code"] == "NOT_FOUND"
    assert api.get("/api/event-job/nothing-here").json()["error_code"] == "NOT_FOUND"


def test_the_error_of_a_failed_job_stays_an_object(api: httpx.Client, services: Services) -> None:
    job_id = create(api)["job_id"]
    fail(services, job_id)
    job = api.get(f"/api/event-job/jobs/{job_id}").json()["job"]
    assert job["status"] == "failed"
    assert job["error"]["message"] == "The source answered 404."


def test_limit_and_skip_page_through_a_list(api: httpx.Client) -> None:
    made = api.post("/api/event-job/batches", json={"jobs": [pdf(n) for n in range(5)]}).json()
    seen = []
    for skip in (0, 2, 4):
        page = {"batch_id": made["batch_id"], "limit": 2, "skip": skip}
        answer = api.get("/api/event-job/jobs", params=page).json()
        seen += [row["job_id"] for row in answer["jobs"]]
        assert answer["total"] == 5
    assert sorted(seen) == made["data"]["job_ids"]


def test_a_file_is_found_by_job_and_path(api: httpx.Client, services: Services) -> None:
    job_id = create(api)["job_id"]
    finish(services, job_id, markdown="# Text")
    url = api.get(f"/api/event-job/jobs/{job_id}").json()["job"]["results"]["markdown_url"]
    for prefix in ("/api/events/files", "/api/event-job/files"):
        answer = api.get(url.replace("/api/events/files", prefix), follow_redirects=True)
        assert answer.text == "# Text"
    assert api.get(f"/api/events/files/{job_id}/nothing.md").status_code == 404
    assert api.get("/api/events/files/../../etc/passwd").status_code == 404
