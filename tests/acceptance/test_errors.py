"""What goes wrong is said, with a code and a sentence, and never with a trace."""

from __future__ import annotations

from typing import Any

import pytest

from tests.acceptance.user import User


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"),
    [
        ("POST", "/api/jobs", {"content": b"{not json"}, 400, "BAD_REQUEST"),
        ("POST", "/api/jobs", {"json": {"job_type": "origami"}}, 422, "UNKNOWN_JOB_TYPE"),
        ("POST", "/api/jobs", {"json": {"job_type": "pdf"}}, 422, "VALIDATION_FAILED"),
        ("POST", "/api/jobs", {"json": {"job_type": "pdf", "colour": "red"}}, 422, "VALIDATION_FAILED"),
        ("GET", "/api/jobs/job-unknown", {}, 404, "NOT_FOUND"),
        ("GET", "/api/batches/batch-unknown", {}, 404, "NOT_FOUND"),
        ("GET", "/api/jobs?limit=much", {}, 422, "VALIDATION_FAILED"),
        ("GET", "/api/nowhere", {}, 404, "NOT_FOUND"),
        ("DELETE", "/api/jobs", {}, 405, "METHOD_NOT_ALLOWED"),
    ],
)
def test_a_request_that_cannot_be_met_is_answered_with_a_code(
    user: User, method: str, path: str, sent: dict[str, Any], status: int, code: str
) -> None:
    answer = user.http.request(method, path, **sent)

    body = answer.json()
    assert answer.status_code == status
    assert body["status"] == "error"
    assert body["error"]["code"] == code
    assert len(body["error"]["message"]) > 10
    assert "Traceback" not in answer.text
    assert answer.headers["X-Request-ID"]


def test_a_source_that_is_not_there_fails_the_job_and_says_so(user: User, sources: str) -> None:
    job = user.wait(user.submit(f"{sources}/nothing.pdf"))

    assert job["status"] == "failed"
    assert job["error"]["code"] == "DOWNLOAD_FAILED"
    assert "404" in job["error"]["message"]
    assert job["results"] is None


def test_a_source_that_is_no_document_is_named_as_such(user: User, sources: str) -> None:
    job = user.wait(user.submit(f"{sources}/talk.html"))

    assert (job["status"], job["error"]["code"]) == ("failed", "UNSUPPORTED_FILE")


def test_a_job_without_archive_says_that_there_is_none(user: User, sources: str) -> None:
    job = user.wait(user.submit(f"{sources}/nothing.pdf"))

    answer = user.http.get(f"/api/jobs/{job['job_id']}/download-archive")

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "ARCHIVE_NOT_FOUND")
