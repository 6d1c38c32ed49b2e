from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.session.vault_links import broken_links, embeds
from tests.servers.site import site
from tests.servers.stack import StackServer
from tests.unit.processing.session.test_handler import PAGE, make_pdf

FINAL = {"completed", "failed", "cancelled", "partial"}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    make_pdf(tmp_path / "slides.pdf", ["First slide", "Second slide"])
    (tmp_path / "talk.html").write_text(PAGE.format(more='<a href="slides.pdf">Slides</a>'))
    (tmp_path / "other.html").write_text(PAGE.format(more=""))
    return tmp_path


def session(address: str, page: str, name: str, **more: Any) -> dict[str, Any]:
    known = {"event": "Conf 2025", "session": name, "filename": f"{name}.md", "track": "Main Track"}
    return {"job_type": "session", "parameters": known | {"url": f"{address}/{page}"} | more}


def wait(client: httpx.Client, path: str, name: str) -> dict[str, Any]:
    while True:
        found: dict[str, Any] = client.get(path, params={"wait": 10}).raise_for_status().json()[name]
        if found["status"] in FINAL:
            return found


def archive_of(client: httpx.Client, path: str) -> zipfile.ZipFile:
    """Asks until it is built, as the 202 says."""
    while (answer := client.get(path)).status_code == 202:
        assert answer.headers["Retry-After"]
        assert answer.json()["data"]["status"] in ("pending", "processing")
        wait(client, f"/api/jobs/{answer.json()['data']['job_id']}", "job")
    assert answer.status_code == 302, answer.text
    content = httpx.get(answer.headers["Location"]).raise_for_status().content
    archive = zipfile.ZipFile(io.BytesIO(content))
    assert archive.testzip() is None
    return archive


def test_a_session_job_delivers_a_vault_whose_links_resolve(stack: StackServer, web: Path) -> None:
    with stack.client() as client, site(web) as address:
        body = session(address, "talk.html", "a_talk") | {"job_type": "session_processing"}
        job_id = client.post("/api/jobs", json=body).raise_for_status().json()["job"]["job_id"]
        job = wait(client, f"/api/jobs/{job_id}", "job")
        assert job["status"] == "completed", job["error"]
        archive = archive_of(client, job["results"]["archive_url"])
        again = client.post(f"/api/jobs/{job_id}/restart", json={}).raise_for_status()
        assert again.json()["job"]["status"] == "pending"
        second = wait(client, f"/api/jobs/{job_id}", "job")["results"]
    assert job["job_type"] == "session"
    note = "sessions/Conf_2025/DE/Main_Track/a_talk.md"
    assert sorted(archive.namelist()) == [
        "README.md",
        "manifest.json",
        note,
        "sessions/Conf_2025/assets/a_talk/slide_01.png",
        "sessions/Conf_2025/assets/a_talk/slide_02.png",
    ]
    assert broken_links(archive) == []
    assert embeds(archive, note) == [f"Conf_2025/assets/a_talk/slide_0{number}.png" for number in (1, 2)]
    results = job["results"]
    assert results["markdown_content"] == archive.read(note).decode()
    assert results["structured_data"]["topic"] == "Main Track"
    assert "It deals with" in results["web_text"] and "First slide" in results["attachments_text"]
    assert [url.split("/files/")[1] for url in results["assets"]] == sorted(archive.namelist())[3:]
    assert second["archive_sha256"] == results["archive_sha256"], "equal input must give equal bytes"


def test_a_batch_gives_one_vault_with_an_index_and_the_failures(stack: StackServer, web: Path) -> None:
    with stack.client() as client, site(web) as address:
        jobs = [
            session(address, "talk.html", "first", speakers=["Ada", "Grace"], day="2025-05-03"),
            session(address, "talk.html", "first", target_language="en"),
            session(address, "other.html", "second"),
            session(address, "gone.html", "third") | {"max_attempts": 1},
        ]
        body = {"batch_name": "Conf: all of it", "jobs": jobs}
        batch_id = client.post("/api/batches", json=body).raise_for_status().json()["batch"]["batch_id"]
        path = f"/api/batches/{batch_id}/download-archive"
        early = client.get(path)
        batch = wait(client, f"/api/batches/{batch_id}", "batch")
        archive = archive_of(client, path)
        facts = client.get(path, params={"redirect": "false"}).raise_for_status().json()["data"]
        listed = client.get("/api/jobs", params={"batch_id": batch_id}).json()["total"]
    assert batch["status"] == "partial"
    if early.status_code != 302:  # a fast worker may be done already
        assert (early.status_code, early.json()["error"]["code"]) in [(404, "ARCHIVE_NOT_FOUND"), (202, None)]
    assert facts["filename"] == "Conf_all_of_it.zip"
    assert listed == 4, "the job that packs is no member"
    names = archive.namelist()
    assert names.count("sessions/Conf_2025/assets/first/slide_01.png") == 1
    assert {f"sessions/Conf_2025/{language}/Main_Track/first.md" for language in ("DE", "EN")} <= set(names)
    assert broken_links(archive) == []
    index = archive.read("index.md").decode()
    assert "## 2025-05-03" in index and "### Main Track" in index
    assert "[[Conf_2025/DE/Main_Track/second|" in index and "- Ada: " in index
    (error,) = json.loads(archive.read("errors.json"))["errors"]
    assert (error["job_name"], error["error"]["code"]) == ("third", "DOWNLOAD_FAILED")


def test_a_batch_that_delivered_nothing_has_no_archive(stack: StackServer, web: Path) -> None:
    with stack.client() as client, site(web) as address:
        jobs = [session(address, "gone.html", "gone") | {"max_attempts": 1}]
        batch_id = client.post("/api/batches", json={"jobs": jobs}).json()["batch"]["batch_id"]
        wait(client, f"/api/batches/{batch_id}", "batch")
        answer = client.get(f"/api/batches/{batch_id}/download-archive")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "ARCHIVE_NOT_FOUND"
    assert "none of its 1 jobs delivered" in answer.json()["error"]["message"]


def test_nobody_can_hand_in_the_job_that_packs(stack: StackServer) -> None:
    with stack.client() as client:
        answer = client.post("/api/jobs", json={"job_type": "batch_archive", "parameters": {"batch_id": "x"}})
    assert answer.json()["error"]["code"] == "UNKNOWN_JOB_TYPE"
