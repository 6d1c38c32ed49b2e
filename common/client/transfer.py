"""Bytes to and from the object store by signed addresses: streamed, told as they go, sent again when torn."""

from __future__ import annotations

import asyncio
import mimetypes
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import httpx

from common.client.answers import MOST_TRIES, RETRIED, ServiceError, ServiceUnreachable, check, pause_before
from common.client.calls import Json
from common.names import safe_name

Moved = Callable[[int, int], None]  # bytes done, bytes in all
CHUNK_BYTES = 1024 * 1024
Got = TypeVar("Got")


def unmoved(_done: int, _total: int) -> None:
    return


def content_type_of(file: Path) -> str:
    return mimetypes.guess_type(file.name)[0] or "application/octet-stream"


def put(store: httpx.Client, made: Json, file: Path, moved: Moved) -> None:
    headers = _put_headers(made, file)
    _retried(lambda: check(store.put(made["url"], content=_chunks(file, moved), headers=headers)))


async def put_async(store: httpx.AsyncClient, made: Json, file: Path, moved: Moved) -> None:
    headers = _put_headers(made, file)

    async def send() -> None:
        check(await store.put(made["url"], content=_chunks_async(file, moved), headers=headers))

    await _retried_async(send)


def fetch(store: httpx.Client, found: Json, target: Path, moved: Moved) -> Path:
    """The file appears when it is complete."""
    target = _file_for(target, found)
    part = target.with_name(target.name + ".part")

    def receive() -> None:
        with store.stream("GET", found["url"]) as answer, part.open("wb") as file:
            if answer.is_error:
                answer.read()
            check(answer)
            total, done = int(answer.headers.get("Content-Length", 0)), 0
            for chunk in answer.iter_bytes(CHUNK_BYTES):
                file.write(chunk)
                moved(done := done + len(chunk), total)

    try:
        _retried(receive)
        return part.replace(target)
    finally:
        part.unlink(missing_ok=True)


async def fetch_async(store: httpx.AsyncClient, found: Json, target: Path, moved: Moved) -> Path:
    target = _file_for(target, found)
    part = target.with_name(target.name + ".part")

    async def receive() -> None:
        async with store.stream("GET", found["url"]) as answer:
            if answer.is_error:
                await answer.aread()
            check(answer)
            total, done = int(answer.headers.get("Content-Length", 0)), 0
            with await asyncio.to_thread(part.open, "wb") as file:
                async for chunk in answer.aiter_bytes(CHUNK_BYTES):
                    await asyncio.to_thread(file.write, chunk)
                    moved(done := done + len(chunk), total)

    try:
        await _retried_async(receive)
        return part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _file_for(target: Path, found: Json) -> Path:
    """A folder takes the name that the service gives; never one that leads out of it."""
    if not target.is_dir():
        return target
    name = found.get("filename") or str(found.get("path", "")).rpartition("/")[2]
    return target / safe_name(name, fallback="archive.zip")


def _put_headers(made: Json, file: Path) -> dict[str, str]:
    given = made.get("headers") or {}
    return {"Content-Type": content_type_of(file), **given, "Content-Length": str(file.stat().st_size)}


def _chunks(file: Path, moved: Moved) -> Iterator[bytes]:
    size, done = file.stat().st_size, 0
    with file.open("rb") as source:
        while chunk := source.read(CHUNK_BYTES):
            yield chunk
            moved(done := done + len(chunk), size)


async def _chunks_async(file: Path, moved: Moved) -> AsyncIterator[bytes]:
    size, done = file.stat().st_size, 0
    with await asyncio.to_thread(file.open, "rb") as source:
        while chunk := await asyncio.to_thread(source.read, CHUNK_BYTES):
            yield chunk
            moved(done := done + len(chunk), size)


def _retried(move: Callable[[], Got]) -> Got:
    attempt = 0
    while True:
        try:
            return move()
        except (httpx.TransportError, ServiceError) as error:
            _give_up(error, attempt)
        time.sleep(pause_before(attempt, None))
        attempt += 1


async def _retried_async(move: Callable[[], Awaitable[Got]]) -> Got:
    attempt = 0
    while True:
        try:
            return await move()
        except (httpx.TransportError, ServiceError) as error:
            _give_up(error, attempt)
        await asyncio.sleep(pause_before(attempt, None))
        attempt += 1


def _give_up(error: httpx.TransportError | ServiceError, attempt: int) -> None:
    """Unless another try may go better."""
    is_last = attempt + 1 == MOST_TRIES
    if isinstance(error, ServiceError):
        if is_last or error.status not in RETRIED:
            raise error
    elif is_last:
        raise ServiceUnreachable(str(error.request.url.copy_with(query=None)), error) from error
