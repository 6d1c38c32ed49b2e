"""Someone who uses the service over HTTP and knows nothing of what is behind it."""

from __future__ import annotations

import time
from typing import Any

import httpx

FINAL = ("completed", "failed", "cancelled", "partial")
WAIT_SECONDS = 20
PATIENCE_SECONDS = 90.0

Json = dict[str, Any]


class User:
    """`http` is for calls of which the bare answer matters."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def submit(self, url: str, **more: Any) -> Json:
        """A PDF job; one attempt, so that a failure is final at once."""
        answer = self.http.post("/api/jobs", json=pdf(url, **more))
        assert answer.status_code == 202, answer.text
        return self._read(answer, "job")

    def submit_batch(self, jobs: list[Json], **more: Any) -> Json:
        answer = self.http.post("/api/batches", json={"jobs": jobs, **more})
        assert answer.status_code == 202, answer.text
        return self._read(answer, "batch")

    def job(self, job_id: str, **query: Any) -> Json:
        return self._read(self.http.get(f"/api/jobs/{job_id}", params=query), "job")

    def batch(self, batch_id: str) -> Json:
        return self._read(self.http.get(f"/api/batches/{batch_id}"), "batch")

    def wait(self, job: Json, *, until: tuple[str, ...] = FINAL) -> Json:
        """Long-polls, as the documentation teaches."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        job = self.job(job["job_id"])
        while job["status"] not in until:
            assert time.monotonic() < deadline, f"still {job['status']}: {job['progress']}"
            job = self.job(job["job_id"], wait=WAIT_SECONDS, since=job["version"])
        return job

    def wait_for_batch(self, batch: Json) -> Json:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while batch["status"] not in FINAL:
            assert time.monotonic() < deadline, f"still {batch['status']}"
            time.sleep(0.2)
            batch = self.batch(batch["batch_id"])
        return batch

    def download(self, path: str) -> bytes:
        answer = self.http.get(path, follow_redirects=True)
        assert answer.status_code == 200, answer.text
        return answer.content

    @staticmethod
    def _read(answer: httpx.Response, what: str) -> Json:
        assert answer.is_success, answer.text
        found: Json = answer.json()[what]
        return found


def pdf(url: str, **more: Any) -> Json:
    return {"job_type": "pdf", "max_attempts": 1, "parameters": {"url": url}, **more}
