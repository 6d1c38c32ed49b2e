"""What both clients do with an answer: read it, or say what went wrong and whether trying again helps."""

from __future__ import annotations

from typing import TypeVar

import httpx

from common.client.calls import Call, Json
from common.errors import SecretaryError

Answered = TypeVar("Answered")
RETRIED = frozenset({429, 502, 503, 504})
MOST_TRIES = 5
LONGEST_PAUSE_SECONDS = 30.0


class ServiceError(SecretaryError):
    """Raised when the service answers with an error; `error_code` is the service's own."""

    def __init__(
        self, message: str, code: str, *, status: int | None = None, title: str | None = None
    ) -> None:
        super().__init__(message)
        self.error_code = code
        self.status = status
        self.title = title  # what the error is called in the caller's language


class ServiceUnreachable(SecretaryError):
    """Raised when nobody answers at the service's address."""

    code = "SERVICE_UNREACHABLE"

    def __init__(self, url: str, cause: Exception) -> None:
        super().__init__(f"{url} does not answer ({cause}).")
        self.url = url


class WaitTimeout(SecretaryError):
    """Raised when a job was not finished in the time a caller wanted to wait; it goes on nevertheless."""

    code = "WAIT_TIMEOUT"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Not finished after {seconds:g} seconds; it goes on in the background.")
        self.seconds = seconds


def read(call: Call[Answered], answer: httpx.Response) -> Answered:
    check(answer)
    return call.read(answer.json())


def check(answer: httpx.Response) -> None:
    if not answer.is_error:
        return
    try:
        error = answer.json()["error"]
        message, code, title = str(error["message"]), str(error["code"]), error.get("title")
    except (ValueError, KeyError, TypeError):
        message, code, title = f"The service answered {answer.status_code}.", "UNEXPECTED_ANSWER", None
    raise ServiceError(message, code, status=answer.status_code, title=title)


def must_be_built(job: Json) -> Json:
    """The job that was to build an archive, unless it could not."""
    if job["status"] == "completed":
        return job
    error = job.get("error") or {}
    message = error.get("message") or f"The archive was not built: its job is {job['status']}."
    raise ServiceError(message, error.get("code") or "ARCHIVE_NOT_FOUND")


def pause_before(attempt: int, answer: httpx.Response | None) -> float:
    """Seconds before the next try: what the service asks for, else ever longer."""
    asked = answer.headers.get("Retry-After", "") if answer is not None else ""
    wanted = float(asked) if asked.isdigit() else 0.2 * 2**attempt
    return min(wanted, LONGEST_PAUSE_SECONDS)


def may_retry(call: Call[Answered], attempt: int, answer: httpx.Response | None) -> bool:
    """Only what does no harm when it is sent twice, and only what may go better the next time."""
    helps = answer is None or answer.status_code in RETRIED
    return helps and call.repeatable and attempt + 1 < MOST_TRIES


def headers_of(token: str | None, language: str | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if language:
        headers["Accept-Language"] = language
    return headers
