"""The Python client. `Secretary` waits, `AsyncSecretary` (asynchronous.py) awaits; both speak `calls.py`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from common.client import calls
from common.client.answers import (
    ServiceUnreachable,
    headers_of,
    may_retry,
    must_be_built,
    pause_before,
    read,
)
from common.client.calls import FINAL, FINAL_BATCH, WAIT_SECONDS, Call, Json
from common.client.patience import Patience
from common.client.transfer import Moved, content_type_of, fetch, put, unmoved

Answered = TypeVar("Answered")
Seen = Callable[[Json], None]
TIMEOUT_SECONDS = WAIT_SECONDS + 20.0


def unseen(_: Json) -> None:
    return


class Secretary:
    """
    with Secretary("http://127.0.0.1:8000") as secretary:
        job = secretary.create_job("pdf", {"upload_id": secretary.upload(Path("talk.pdf"))})
        done = secretary.wait(job["job_id"])
        secretary.download_archive(job["job_id"], Path("talk.zip"))
    """

    def __init__(self, url: str, *, token: str | None = None, language: str | None = None) -> None:
        self._http = httpx.Client(
            base_url=url, timeout=TIMEOUT_SECONDS, headers=headers_of(token, language), follow_redirects=True
        )
        self._store = httpx.Client(timeout=TIMEOUT_SECONDS)  # signed addresses: no token of ours goes there

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()
        self._store.close()

    # Jobs

    def create_job(self, job_type: str, parameters: Json, **options: Any) -> Json:
        return self._do(calls.create_job(job_type, parameters, options))

    def job(self, job_id: str) -> Json:
        return self._do(calls.job(job_id))

    def estimate(self, job_type: str, parameters: Json) -> Json:
        """What a job would cost, without making it."""
        return self._do(calls.estimate(job_type, parameters))

    def jobs(self, **filters: Any) -> Iterator[Json]:
        """All jobs that match, newest first, page after page."""
        return self._pages(calls.jobs, "jobs", filters)

    def watch(self, job_id: str, *, seconds: float | None = None) -> Iterator[Json]:
        """The job now and after every change, until it is finished."""
        patience = Patience(seconds)
        job = self.job(job_id)
        yield job
        while job["status"] not in FINAL:
            job = self._do(calls.job(job_id, wait=patience.next_wait(), since=job["version"]))
            yield job

    def wait(self, job_id: str, *, seen: Seen = unseen, seconds: float | None = None) -> Json:
        """The finished job. After `seconds` a WaitTimeout; the job itself goes on."""
        return _last(self.watch(job_id, seconds=seconds), seen)

    def logs(self, job_id: str) -> list[Json]:
        return self._do(calls.logs(job_id))

    def files(self, job_id: str) -> list[Json]:
        return self._do(calls.files(job_id))

    def cancel(self, job_id: str) -> Json:
        return self._do(calls.cancel(job_id))

    def restart(self, job_id: str, **options: Any) -> Json:
        return self._do(calls.restart(job_id, options))

    def delete(self, job_id: str) -> Json:
        return self._do(calls.delete(job_id))

    # Batches

    def create_batch(self, jobs: list[Json], **options: Any) -> Json:
        return self._do(calls.create_batch(jobs, options))

    def import_schedule(self, **body: Any) -> Json:
        return self._do(calls.import_schedule(body))

    def batch(self, batch_id: str) -> Json:
        return self._do(calls.batch(batch_id))

    def batches(self, **filters: Any) -> Iterator[Json]:
        return self._pages(calls.batches, "batches", filters)

    def watch_batch(self, batch_id: str, *, seconds: float | None = None) -> Iterator[Json]:
        patience = Patience(seconds)
        batch = self.batch(batch_id)
        yield batch
        while batch["status"] not in FINAL_BATCH:
            batch = self._do(calls.batch(batch_id, wait=patience.next_wait(), since=batch["version"]))
            yield batch

    def wait_for_batch(self, batch_id: str, *, seen: Seen = unseen, seconds: float | None = None) -> Json:
        return _last(self.watch_batch(batch_id, seconds=seconds), seen)

    def retry_failed(self, batch_id: str) -> Json:
        return self._do(calls.retry_failed(batch_id))

    def cancel_batch(self, batch_id: str) -> Json:
        return self._do(calls.cancel_batch(batch_id))

    def set_batch_active(self, batch_id: str, *, active: bool) -> Json:
        """Pauses a batch, or lets it go on; what runs already is finished."""
        return self._do(calls.set_batch_active(batch_id, active=active))

    def delete_batch(self, batch_id: str) -> Json:
        return self._do(calls.delete_batch(batch_id))

    # Bytes

    def upload(self, file: Path, *, moved: Moved = unmoved) -> str:
        """Straight into the object store; the id is what jobs take as `upload_id`."""
        made = self._do(calls.new_upload(file.name, file.stat().st_size, content_type_of(file)))
        put(self._store, made, file, moved)
        return str(made["upload_id"])

    def download_archive(self, job_id: str, target: Path, *, moved: Moved = unmoved) -> Path:
        """To a file, or into a folder under the archive's own name."""
        return fetch(self._store, self._do(calls.archive_address(job_id)), target, moved)

    def download_batch_archive(self, batch_id: str, target: Path, *, moved: Moved = unmoved) -> Path:
        """The whole batch as one vault; waits until that is built."""
        found = self._do(calls.batch_archive_address(batch_id))
        if "url" not in found:
            built = must_be_built(self.wait(found["job_id"]))
            found = self._do(calls.archive_address(built["job_id"]))
        return fetch(self._store, found, target, moved)

    def download_file(self, job_id: str, path: str, target: Path, *, moved: Moved = unmoved) -> Path:
        return fetch(self._store, self._do(calls.file_address(job_id, path)), target, moved)

    # Everything else

    def deliveries(self, job_id: str) -> list[Json]:
        """What became of a job's webhooks."""
        return self._do(calls.deliveries(job_id))

    def redeliver(self, delivery_id: str) -> Json:
        return self._do(calls.redeliver(delivery_id))

    def templates(self) -> list[Json]:
        return self._do(calls.templates())

    def job_types(self) -> list[Json]:
        return self._do(calls.job_types())

    def statistics(self) -> Json:
        return self._do(calls.statistics())

    def _pages(self, call: Callable[[Json], Call[Json]], name: str, filters: Json) -> Iterator[Json]:
        cursor = None
        while True:
            page = self._do(call({**filters, "cursor": cursor}))
            yield from page[name]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def _do(self, call: Call[Answered]) -> Answered:
        attempt = 0
        while True:
            answer = self._send(call, last=not may_retry(call, attempt, None))
            if answer is not None and not may_retry(call, attempt, answer):
                return read(call, answer)
            time.sleep(pause_before(attempt, answer))
            attempt += 1

    def _send(self, call: Call[Any], *, last: bool) -> httpx.Response | None:
        try:
            return self._http.request(
                call.method, call.path, params=call.query, json=call.body, headers=dict(call.headers)
            )
        except httpx.TransportError as error:
            if last:
                raise ServiceUnreachable(str(self._http.base_url), error) from error
            return None


def _last(changes: Iterator[Json], seen: Seen) -> Json:
    now: Json = {}
    for now in changes:
        seen(now)
    return now
