"""One document: hand it in, wait, read it, take it home."""

from __future__ import annotations

import hashlib
import io
import secrets
import zipfile

import httpx
import pytest

from tests.acceptance.user import Json, User, pdf


@pytest.fixture
def done(user: User, sources: str) -> Json:
    return user.wait(user.submit(f"{sources}/slides.pdf"))


def test_a_service_that_runs_says_so(user: User) -> None:
    assert user.http.get("/health").status_code == 200
    assert user.http.get("/ready").status_code == 200


def test_a_job_is_accepted_with_its_address(user: User, sources: str) -> None:
    answer = user.http.post("/api/jobs", json=pdf(f"{sources}/slides.pdf", job_name="Slides"))

    body = answer.json()
    job_id = body["job"]["job_id"]
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/api/jobs/{job_id}"
    assert body["status"] == "success"
    assert body["data"]["job_ids"] == [job_id]
    assert body["job"]["job_name"] == "Slides"
    assert user.wait(body["job"])["status"] == "completed"


def test_a_finished_job_delivers_markdown_and_page_texts(user: User, done: Json) -> None:
    results = done["results"]

    assert done["status"] == "completed", done["error"]
    assert done["progress"]["percent"] == 100
    assert "# What goes wrong today" in results["markdown_content"]
    texts = [user.download(path).decode() for path in results["page_texts"]]
    assert len(texts) == 4
    assert "Nobody sees what is running" in texts[1]


def test_the_archive_is_what_the_job_says_it_is(user: User, done: Json) -> None:
    results = done["results"]

    content = user.download(results["archive_url"])

    assert len(content) == results["archive_size"]
    assert hashlib.sha256(content).hexdigest() == results["archive_sha256"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {"README.md", "manifest.json"} <= set(archive.namelist())


def test_a_download_is_a_signed_url_that_reads_and_no_more(user: User, done: Json) -> None:
    answer = user.http.get(done["results"]["archive_url"], params={"redirect": "false"})

    told = answer.json()["data"]
    assert httpx.get(told["url"]).status_code == 200
    assert httpx.put(told["url"], content=b"changed").status_code == 403
    assert httpx.get(told["url"]).content == user.download(done["results"]["archive_url"])


def test_every_file_of_a_job_can_be_had(user: User, done: Json) -> None:
    files = user.http.get(f"/api/jobs/{done['job_id']}/files").json()["data"]["files"]

    assert files
    for file in files:
        assert len(user.download(file["url"])) == file["size"]


def test_the_log_tells_what_happened(user: User, done: Json) -> None:
    lines = user.http.get(f"/api/jobs/{done['job_id']}/logs").json()["data"]["logs"]

    assert [line["message"] for line in lines if line["message"].startswith("started by")]
    assert all(line["timestamp"] and line["level"] for line in lines)


def test_jobs_are_listed_by_tag_newest_first(user: User, sources: str) -> None:
    tag = secrets.token_hex(6)
    ids = [user.submit(f"{sources}/slides.pdf", tags=[tag])["job_id"] for _ in range(3)]

    body = user.http.get("/api/jobs", params={"tag": tag}).json()

    assert [job["job_id"] for job in body["jobs"]] == ids[::-1]
    assert body["total"] == 3


def test_the_same_key_gives_the_same_job(user: User, sources: str) -> None:
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    body = pdf(f"{sources}/slides.pdf")

    first, second = (user.http.post("/api/jobs", json=body, headers=headers) for _ in range(2))
    other = user.http.post("/api/jobs", json=body | {"job_name": "other"}, headers=headers)

    assert first.status_code == second.status_code == 202
    assert first.json()["job"]["job_id"] == second.json()["job"]["job_id"]
    assert other.status_code == 422


def test_a_job_with_high_priority_is_worked_on_too(user: User, sources: str) -> None:
    assert user.wait(user.submit(f"{sources}/report.pdf", priority=9))["status"] == "completed"
