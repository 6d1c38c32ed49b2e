"""The Python client for asynchronous programs: the same calls as `Secretary`, awaited."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from common.client import calls
from common.client.answers import ServiceUnreachable, check, headers_of, may_retry, pause_before, read
from common.client.calls import FINAL, FINAL_BATCH, WAIT_SECONDS, Call, Json
from common.client.secretary import CHUNK_BYTES, TIMEOUT_SECONDS

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
        await self._http.aclose()
        await self._store.aclose()

    async def create_job(self, job_type: str, parameters: Json, **options: Any) -> Json:
        return await self._do(calls.create_job(job_type, parameters, options))

    async def create_batch(self, jobs: list[Json], **options: Any) -> Json:
        return await self._do(calls.create_batch(jobs, options))

    async def import_schedule(self, **body: Any) -> Json:
        return await self._do(calls.import_schedule(body))

    async def job(self, job_id: str) -> Json:
        return await self._do(calls.job(job_id))

    async def jobs(self, **filters: Any) -> AsyncIterator[Json]:
        cursor = None
        while True:
            page = await self._do(calls.jobs({**filters, "cursor": cursor}))
            for job in page["jobs"]:
                yield job
            cursor = page.get("next_cursor")
            if not cursor:
                return

    async def watch(self, job_id: str) -> AsyncIterator[Json]:
        job = await self.job(job_id)
        yield job
        while job["status"] not in FINAL:
            job = await self._do(calls.job(job_id, wait=WAIT_SECONDS, since=job["version"]))
            yield job

    async def wait(self, job_id: str) -> Json:
        """The finished job; `asyncio.timeout` limits the waiting."""
        return [job async for job in self.watch(job_id)][-1]

    async def wait_for_batch(self, batch_id: str) -> Json:
        batch = await self._do(calls.batch(batch_id))
        while batch["status"] not in FINAL_BATCH:
            batch = await self._do(calls.batch(batch_id, wait=WAIT_SECONDS, since=batch["version"]))
        return batch

    async def cancel(self, job_id: str) -> Json:
        return await self._do(calls.cancel(job_id))

    async def restart(self, job_id: str, **options: Any) -> Json:
        return await self._do(calls.restart(job_id, options))

    async def delete(self, job_id: str) -> Json:
        return await self._do(calls.delete(job_id))

    async def upload(self, file: Path) -> str:
        size = file.stat().st_size
        content_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        made = await self._do(calls.new_upload(file.name, size, content_type))
        headers = {"Content-Type": content_type, **(made.get("headers") or {}), "Content-Length": str(size)}
        check(await self._store.put(made["url"], content=_chunks(file), headers=headers))
        return str(made["upload_id"])

    async def download_archive(self, job_id: str, target: Path) -> Path:
        address = await self._do(calls.archive_address(job_id))
        part = target.with_name(target.name + ".part")
        async with self._store.stream("GET", address["url"]) as answer:
            if answer.is_error:
                await answer.aread()
            check(answer)
            with part.open("wb") as file:
                async for chunk in answer.aiter_bytes(CHUNK_BYTES):
                    await asyncio.to_thread(file.write, chunk)
        return part.replace(target)

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
                raise ServiceUnreachable(f"{self._http.base_url} does not answer ({error}).") from error
            return None


async def _chunks(file: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(file.open, "rb") as source:
        while chunk := await asyncio.to_thread(source.read, CHUNK_BYTES):
            yield chunk
