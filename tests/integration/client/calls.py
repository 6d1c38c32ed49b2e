"""Both Python clients under one name: what one can do, the other can, so each test runs with both."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

from common.client import AsyncSecretary, Secretary


class Awaited:
    """The asynchronous client, called as if it were the other one."""

    def __init__(self, url: str, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = AsyncSecretary(url, **options)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*arguments: Any, **options: Any) -> Any:
            made = method(*arguments, **options)
            if inspect.isawaitable(made):
                return self._loop.run_until_complete(_of(made))
            return self._each(made)

        return call

    def _each(self, values: AsyncIterator[Any]) -> Iterator[Any]:
        while True:
            try:
                yield self._loop.run_until_complete(_of(anext(values)))
            except StopAsyncIteration:
                return

    def close(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


async def _of(made: Any) -> Any:
    return await made


CLIENTS: dict[str, Any] = {"sync": Secretary, "async": Awaited}
