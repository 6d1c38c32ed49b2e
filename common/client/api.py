"""The HTTP calls the command line makes to a running service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from common.errors import SecretaryError

FINAL = ("completed", "failed", "cancelled")
WAIT_SECONDS = 20


class ServiceError(SecretaryError):
    """Raised when the service answers with an error; carries its code and message."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.error_code = code


class Api:
    """A thin client; the full one grows from here."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=WAIT_SECONDS + 20, follow_redirects=True)

    def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        return self._job(self._http.post("/api/jobs", json=body))

    def watch(self, job_id: str, seen: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """The final job; `seen` is called with each change on the way."""
        since = 0
        while True:
            job = self._job(
                self._http.get(f"/api/jobs/{job_id}", params={"wait": WAIT_SECONDS, "since": since})
            )
            seen(job)
            if job["status"] in FINAL:
                return job
            since = job["version"]

    def download(self, path: str, target: Path) -> None:
        """Streamed; the file appears when it is complete."""
        part = target.with_name(target.name + ".part")
        with self._http.stream("GET", path) as answer:
            if answer.is_error:
                answer.read()
            self._check(answer)
            with part.open("wb") as file:
                for chunk in answer.iter_bytes():
                    file.write(chunk)
        part.replace(target)

    def is_ready(self) -> bool:
        try:
            return self._http.get("/ready").is_success
        except httpx.TransportError:
            return False

    def _job(self, answer: httpx.Response) -> dict[str, Any]:
        self._check(answer)
        job: dict[str, Any] = answer.json()["job"]
        return job

    @staticmethod
    def _check(answer: httpx.Response) -> None:
        if not answer.is_error:
            return
        try:
            error = answer.json()["error"]
            raise ServiceError(error["message"], error["code"])
        except (ValueError, KeyError, TypeError):
            raise ServiceError(f"The service answered {answer.status_code}.", "UNEXPECTED_ANSWER") from None
