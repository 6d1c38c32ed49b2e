"""The Python client for asynchronous programs: the same calls as `Secretary`, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
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
from common.client.calls import FINAL, FINAL_BATCH, Call, Json
from common.client.patience import Patience
from common.client.secretary import TIMEOUT_SECONDS, Seen, unseen
from common.client.transfer import Moved, content_type_of, fetch_async, put_async, unmoved

Answered = TypeVar("Answered")


class AsyncSecretary:
    """
    async with AsyncSecretary("http://127.0.0.1:8000") as secretary:
        job = await secretary.create_job("pdf", {"url": "https://example.org/talk.pdf"})
        done = await secretary.wait(job["job_id"])
    """

    def __init__(self, url: str, *, token: str | None = None, language: str | None = None) -> None:
        self._http = httpx.AsyncClient(
            base_url=url, timeout=TIMEOUT_SECONDS, headers=headers_of(token, language), follow_redirects=True
        )
        self._store = httpx.AsyncClient(timeout=TIMEOUT_SECONDS)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()
        await self._store.aclose()

    # Jobs

    async def create_job(self, job_type: str, parameters: Json, **options: Any) -> Json:
        return await self._do(calls.create_job(job_type, parameters, options))

    async def job(self, job_id: str) -> Json:
        return await self._do(calls.job(job_id))

    async def estimate(self, job_type: str, parameters: Json) -> Json:
        return await self._do(calls.estimate(job_type, parameters))

    def jobs(self, **filters: Any) -> AsyncIterator[Json]:
        return self._pages(calls.jobs, "jobs", filters)

    async def watch(self, job_id: str, *, seconds: float | None = None) -> AsyncIterator[Json]:
        patience = Patience(seconds)
        job = await self.job(job_id)
        yield job
        while job["status"] not in FINAL:
            job = await self._do(calls.job(job_id, wait=patience.next_wait(), since=job["version"]))
            yield job

    async def wait(self, job_id: str, *, seen: Seen = unseen, seconds: float | None = None) -> Json:
        return await _last(self.watch(job_id, seconds=seconds), seen)

    async def logs(self, job_id: str) -> list[Json]:
        return await self._do(calls.logs(job_id))

    async def files(self, job_id: str) -> list[Json]:
        return await self._do(calls.files(job_id))

    async def cancel(self, job_id: str) -> Json:
        return await self._do(calls.cancel(job_id))

    async def restart(self, job_id: str, **options: Any) -> Json:
        return await self._do(calls.restart(job_id, options))

    async def delete(self, job_id: str) -> Json:
        return await self._do(calls.delete(job_id))

    # Batches

    async def create_batch(self, jobs: list[Json], **options: Any) -> Json:
        return await self._do(calls.create_batch(jobs, options))

    async def import_schedule(self, **body: Any) -> Json:
        return await self._do(calls.import_schedule(body))

    async def batch(self, batch_id: str) -> Json:
        return await self._do(calls.batch(batch_id))

    def batches(self, **filters: Any) -> AsyncIterator[Json]:
        return self._pages(calls.batches, "batches", filters)

    async def watch_batch(self, batch_id: str, *, seconds: float | None = None) -> AsyncIterator[Json]:
        patience = Patience(seconds)
        batch = await self.batch(batch_id)
        yield batch
        while batch["status"] not in FINAL_BATCH:
            batch = await self._do(calls.batch(batch_id, wait=patience.next_wait(), since=batch["version"]))
            yield batch

    async def wait_for_batch(
        self, batch_id: str, *, seen: Seen = unseen, seconds: float | None = None
    ) -> Json:
        return await _last(self.watch_batch(batch_id, seconds=seconds), seen)

    async def retry_failed(self, batch_id: str) -> Json:
        return await self._do(calls.retry_failed(batch_id))

    async def cancel_batch(self, batch_id: str) -> Json:
        return await self._do(calls.cancel_batch(batch_id))

    async def set_batch_active(self, batch_id: str, *, active: bool) -> Json:
        return await self._do(calls.set_batch_active(batch_id, active=active))

    async def delete_batch(self, batch_id: str) -> Json:
        return await self._do(calls.delete_batch(batch_id))

    # Bytes

    async def upload(self, file: Path, *, moved: Moved = unmoved) -> str:
        made = await self._do(calls.new_upload(file.name, file.stat().st_size, content_type_of(file)))
        await put_async(self._store, made, file, moved)
        return str(made["upload_id"])

    async def download_archive(self, job_id: str, target: Path, *, moved: Moved = unmoved) -> Path:
        return await fetch_async(self._store, await self._do(calls.archive_address(job_id)), target, moved)

    async def download_batch_archive(self, batch_id: str, target: Path, *, moved: Moved = unmoved) -> Path:
        found = await self._do(calls.batch_archive_address(batch_id))
        if "url" not in found:
            built = must_be_built(await self.wait(found["job_id"]))
            found = await self._do(calls.archive_address(built["job_id"]))
        return await fetch_async(self._store, found, target, moved)

    async def download_file(self, job_id: str, path: str, target: Path, *, moved: Moved = unmoved) -> Path:
        return await fetch_async(self._store, await self._do(calls.file_address(job_id, path)), target, moved)

    # Everything else

    async def deliveries(self, job_id: str) -> list[Json]:
        return await self._do(calls.deliveries(job_id))

    async def redeliver(self, delivery_id: str) -> Json:
        return await self._do(calls.redeliver(delivery_id))

    async def templates(self) -> list[Json]:
        return await self._do(calls.templates())

    async def job_types(self) -> list[Json]:
        return await self._do(calls.job_types())

    async def statistics(self) -> Json:
        return await self._do(calls.statistics())

    async def _pages(
        self, call: Callable[[Json], Call[Json]], name: str, filters: Json
    ) -> AsyncIterator[Json]:
        cursor = None
        while True:
            page = await self._do(call({**filters, "cursor": cursor}))
            for row in page[name]:
                yield row
            cursor = page.get("next_cursor")
            if not cursor:
                return

    async def _do(self, call: Call[Answered]) -> Answered:
        attempt = 0
        while True:
            answer = await self._send(call, last=not may_retry(call, attempt, None))
            if answer is not None and not may_retry(call, attempt, answer):
                return read(call, answer)
            await asyncio.sleep(pause_before(attempt, answer))
            attempt += 1

    async def _send(self, call: Call[Any], *, last: bool) -> httpx.Response | None:
        try:
            return await self._http.request(
                call.method, call.path, params=call.query, json=call.body, headers=dict(call.headers)
            )
        except httpx.TransportError as error:
            if last:
                raise ServiceUnreachable(str(self._http.base_url), error) from error
            return None


async def _last(changes: AsyncIterator[Json], seen: Seen) -> Json:
    now: Json = {}
    async for now in changes:
        seen(now)
    return now
