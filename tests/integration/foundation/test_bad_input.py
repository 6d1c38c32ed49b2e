"""Every bad input is a clear error with a code, and the service goes on working."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pypdf
import pytest

from infra.local.ports import free_ports
from tests.servers.site import site
from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("sources")
    (folder / "report.pdf").write_bytes((SAMPLES / "report.pdf").read_bytes())
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "page.pdf").write_text("<html><body>Sorry, nothing here</body></html>")
    (folder / "cut.pdf").write_bytes((SAMPLES / "report.pdf").read_bytes()[:700])
    (folder / "locked.pdf").write_bytes(locked(SAMPLES / "report.pdf"))
    with site(folder) as address:
        yield address


def locked(path: Path) -> bytes:
    writer = pypdf.PdfWriter(clone_from=path)
    writer.encrypt(user_password="open sesame", algorithm="AES-256")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


@pytest.fixture
def api(stack: StackServer) -> Iterator[httpx.Client]:
    with stack.client() as client:
        yield client


def run(api: httpx.Client, parameters: dict[str, Any]) -> dict[str, Any]:
    """One PDF job to its end; a single attempt, so that a failure is seen at once."""
    body = {"job_type": "pdf", "parameters": parameters, "max_attempts": 1}
    job: dict[str, Any] = api.post("/api/jobs", json=body).raise_for_status().json()["job"]
    while job["status"] not in ("completed", "failed", "cancelled"):
        query = {"wait": 20, "since": job.get("version", 0)}
        job = api.get(f"/api/jobs/{job['job_id']}", params=query).raise_for_status().json()["job"]
    return job


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"{not json", 400, "BAD_REQUEST"),
        (b"[1, 2]", 400, "BAD_REQUEST"),
        (b'{"job_type": "pdf", "parameters": NaN}', 400, "BAD_REQUEST"),
        (b'{"job_type": 7, "parameters": {}}', 422, "VALIDATION_FAILED"),
        (b'{"parameters": {"url": "https://example.org/a.pdf"}}', 422, "VALIDATION_FAILED"),
        (b'{"job_type": "pdf", "parameters": {}}', 422, "VALIDATION_FAILED"),
        (b'{"job_type": "pdf", "parameters": {"url": 3}}', 422, "VALIDATION_FAILED"),
        (
            b'{"job_type": "pdf", "parameters": {"url": "https://x.org/", "pages": 3}}',
            422,
            "VALIDATION_FAILED",
        ),
        (b'{"job_type": "laundry", "parameters": {}}', 422, "UNKNOWN_JOB_TYPE"),
    ],
)
def test_what_cannot_be_accepted_is_refused_with_a_code(
    api: httpx.Client, content: bytes, status: int, code: str
) -> None:
    answer = api.post("/api/jobs", content=content, headers={"Content-Type": "application/json"})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert error["message"]
    assert error["request_id"] == answer.headers["X-Request-ID"]
    assert "Traceback" not in answer.text


def test_a_wrong_field_is_named_by_its_path(api: httpx.Client) -> None:
    body = {"job_type": "pdf", "parameters": {"url": "https://example.org/a.pdf", "page_start": "x"}}

    error = api.post("/api/jobs", json=body).json()["error"]

    assert [item["field"] for item in error["details"]["fields"]] == ["parameters.page_start"]


def test_an_unknown_type_names_the_known_ones(api: httpx.Client) -> None:
    error = api.post("/api/jobs", json={"job_type": "laundry"}).json()["error"]

    assert "pdf" in error["details"]["known"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("missing.pdf", "DOWNLOAD_FAILED"),
        ("empty.pdf", "UNSUPPORTED_FILE"),
        ("page.pdf", "UNSUPPORTED_FILE"),
        ("cut.pdf", "UNSUPPORTED_FILE"),
        ("locked.pdf", "ENCRYPTED_FILE"),
    ],
)
def test_a_bad_source_fails_its_job_and_nothing_else(
    api: httpx.Client, sources: str, name: str, code: str
) -> None:
    job = run(api, {"url": f"{sources}/{name}"})

    assert (job["status"], job["error"]["code"]) == ("failed", code)
    assert job["error"]["message"]
    assert not job["results"]
    assert api.get(f"/api/jobs/{job['job_id']}/download-archive").status_code == 404
    assert run(api, {"url": f"{sources}/report.pdf"})["status"] == "completed"


def test_a_host_that_does_not_answer(api: httpx.Client) -> None:
    (closed,) = free_ports(1)

    job = run(api, {"url": f"http://127.0.0.1:{closed}/a.pdf"})

    assert (job["status"], job["error"]["code"]) == ("failed", "DOWNLOAD_FAILED")


def test_an_address_inside_the_network_is_refused(api: httpx.Client) -> None:
    job = run(api, {"url": "http://169.254.169.254/latest/meta-data"})

    assert (job["status"], job["error"]["code"]) == ("failed", "URL_NOT_ALLOWED")


@pytest.mark.parametrize("path", ["/api/jobs/job-unknown", "/api/batches/none", "/nowhere", "/api/jobs/a/b"])
def test_what_does_not_exist_is_not_found(api: httpx.Client, path: str) -> None:
    answer = api.get(path)

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_a_method_that_is_not_offered(api: httpx.Client) -> None:
    answer = api.request("PATCH", "/api/jobs")

    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_a_body_over_the_limit(api: httpx.Client) -> None:
    answer = api.post("/api/jobs", content=b" " * (10 * 1024**2 + 1))

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_a_page_from_elsewhere_may_not_use_the_local_service(api: httpx.Client) -> None:
    assert api.get("/api/jobs", headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert api.get("/api/jobs", headers={"Host": "rebound.example"}).status_code == 403
    assert api.get("/api/jobs", headers={"Origin": str(api.base_url).rstrip("/")}).status_code == 200
