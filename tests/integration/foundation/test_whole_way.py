"""One PDF travels the whole way: submit, wait, results, page texts, pictures, archive."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.foundation.test_bad_input import run
from tests.servers.site import site
from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="module")
def done(stack: StackServer) -> dict[str, Any]:
    with site(SAMPLES) as address, stack.client() as api:
        return run(api, {"url": f"{address}/slides.pdf", "include_images": True})


def test_the_markdown_has_titles_lists_and_tables(done: dict[str, Any]) -> None:
    markdown = done["results"]["markdown_content"]

    assert "# What goes wrong today" in markdown
    assert "- Jobs are lost on every restart" in markdown
    assert "| Nothing runs twice | every write names its attempt |" in markdown


def test_each_page_has_its_text_and_picture(stack: StackServer, done: dict[str, Any]) -> None:
    with httpx.Client(base_url=stack.url, follow_redirects=True) as api:
        texts = [api.get(url).raise_for_status().text for url in done["results"]["page_texts"]]
        listing = api.get(f"/api/jobs/{done['job_id']}/files").raise_for_status().json()["data"]["files"]

    assert len(texts) == 4
    assert "Nobody sees what is running" in texts[1]
    assert len([item for item in listing if item["path"].endswith(".jpg")]) == 4


def test_the_archive_is_what_the_job_says(stack: StackServer, done: dict[str, Any]) -> None:
    results = done["results"]
    with httpx.Client(base_url=stack.url, follow_redirects=True) as api:
        content = api.get(results["archive_url"]).raise_for_status().content

    assert len(content) == results["archive_size"]
    assert hashlib.sha256(content).hexdigest() == results["archive_sha256"]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {"README.md", "manifest.json"} <= set(archive.namelist())


def test_a_download_is_a_signed_address_and_every_ask_gives_a_fresh_one(
    stack: StackServer, done: dict[str, Any]
) -> None:
    with stack.client() as api:
        answer = api.get(done["results"]["archive_url"])
        told = api.get(done["results"]["archive_url"], params={"redirect": "false"}).json()["data"]

    assert answer.status_code == 302
    assert "X-Amz-Signature=" in answer.headers["Location"]
    assert told["sha256"] == done["results"]["archive_sha256"]
    assert httpx.get(told["url"]).status_code == 200
    assert httpx.put(told["url"], content=b"x").status_code == 403


def test_the_same_document_is_not_computed_twice(stack: StackServer, done: dict[str, Any]) -> None:
    with site(SAMPLES) as address, stack.client() as api:
        again = run(api, {"url": f"{address}/slides.pdf", "include_images": True})
        envelope = api.get(f"/api/jobs/{again['job_id']}").json()

    assert envelope["process"]["is_from_cache"] is True
    assert again["results"]["markdown_content"] == done["results"]["markdown_content"]
