"""Keeps finished pages in the cache while the next ones are read: no page waits for the store."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from common.processing.base import Cache, StoredFile
from common.processing.pages.page import Page, as_record, record_name, text_name

AT_ONCE = 4
AHEAD = 32  # pages on their way at most, so that a slow store holds the reader up and not the memory
PLAIN_TEXT = "text/plain; charset=utf-8"


class PageKeeper:
    """Leaving it waits for every page, however the run ends: none that was read is read again."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="page-keeper")
        self._pages: dict[int, Future[StoredFile]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._threads.shutdown(wait=True, cancel_futures=False)
        self.kept()

    def keep(self, page: Page) -> None:
        if len(self._pages) >= AHEAD:
            list(self._pages.values())[-AHEAD].result()
        self._pages[page.number] = self._threads.submit(self._write, page)

    def kept(self) -> Mapping[int, StoredFile]:
        """The texts by page, once all are written; raises what a write has raised."""
        return {number: written.result() for number, written in self._pages.items()}

    def _write(self, page: Page) -> StoredFile:
        """The record last: a page counts as read when both are there."""
        stored = self._cache.write(text_name(page.number), page.text.encode(), PLAIN_TEXT)
        self._cache.write(record_name(page.number), as_record(page), "application/json")
        return stored
