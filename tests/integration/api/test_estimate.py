"""What a job would be, told without running it."""

from __future__ import annotations

from pathlib import Path

import httpx
import pypdf
import pytest

from common.objects import keys
from common.services import Services
from tests.integration.api.work import finish, pdf
from tests.servers.site import site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    document = pypdf.PdfWriter()
    for _ in range(3):
        document.add_blank_page(200, 200)
    document.write(tmp_path / "three.pdf")
    document.encrypt("secret")
    document.write(tmp_path / "locked.pdf")
    return tmp_path


def estimated(api: httpx.Client, url: str) -> httpx.Response:
    return api.post("/api/estimate", json={"job_type": "pdf", "parameters": {"url": url}})


def test_pages_and_cache_are_told(api: httpx.Client, services: Services, folder: Path) -> None:
    finish(services, api.post("/api/jobs", json=pdf()).json()["job"]["job_id"])
    with site(folder) as url:
        before = estimated(api, f"{url}/three.pdf").json()["data"]
        key = keys.cache_prefix("pdf", before["sha256"], "native")
        services.objects.put(f"{key}/page_001.txt", b"text", "text/plain")
        after = estimated(api, f"{url}/three.pdf").json()["data"]
    assert (before["pages"], before["media_type"], before["is_cached"]) == (3, "application/pdf", False)
    assert before["size"] == (folder / "three.pdf").stat().st_size
    assert before["expected_seconds"] >= 0
    assert before["model_calls"] == 0
    assert after["is_cached"] is True
    services.objects.delete_prefix(f"{key}/")


def test_a_file_that_cannot_be_opened_is_noted(api: httpx.Client, folder: Path) -> None:
    with site(folder) as url:
        told = estimated(api, f"{url}/locked.pdf").json()["data"]
    assert told["pages"] is None
    assert "password" in told["notes"][0]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://10.0.0.1/x.pdf", "URL_NOT_ALLOWED"),
        ("http://no-such-host.invalid/x.pdf", "DOWNLOAD_FAILED"),
    ],
)
def test_a_source_that_cannot_be_had_is_a_clear_error(api: httpx.Client, url: str, code: str) -> None:
    answer = estimated(api, url)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == code


def test_nothing_is_stored(api: httpx.Client, services: Services, folder: Path) -> None:
    before = services.database["jobs"].estimated_document_count()
    with site(folder) as url:
        estimated(api, f"{url}/three.pdf")
    assert services.database["jobs"].estimated_document_count() == before
