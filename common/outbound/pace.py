"""Politeness: how many requests one host sees at once from us, and how quickly one after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from common.errors import DownloadFailed


@dataclass
class _Host:
    waiting: int = 0  # including those that are running
    running: int = 0
    next_start: float = 0.0


class HostPace:
    def __init__(self, *, concurrency: int, delay_seconds: float) -> None:
        self._concurrency = concurrency
        self._delay_seconds = delay_seconds
        self._changed = threading.Condition()
        self._hosts: dict[str, _Host] = {}

    @contextmanager
    def turn(self, host: str, *, ends: float) -> Iterator[None]:
        """Wait for a turn at this host, at most until `ends` on the monotonic clock."""
        with self._changed:
            state = self._enter(host)
            try:
                self._wait(host, state, ends)
            except BaseException:
                state.waiting -= 1
                raise
            state.running += 1
            state.next_start = time.monotonic() + self._delay_seconds
        try:
            yield
        finally:
            with self._changed:
                state.running -= 1
                state.waiting -= 1
                self._changed.notify_all()

    def _enter(self, host: str) -> _Host:
        now = time.monotonic()
        self._hosts = {
            name: known for name, known in self._hosts.items() if known.waiting or known.next_start > now
        }
        state = self._hosts.setdefault(host, _Host())
        state.waiting += 1
        return state

    def _wait(self, host: str, state: _Host, ends: float) -> None:
        while True:
            now = time.monotonic()
            is_full = state.running >= self._concurrency
            if not is_full and now >= state.next_start:
                return
            if now >= ends:
                raise DownloadFailed(
                    f"expected a turn at host {host!r} in time, {state.running} requests came first",
                    details={"host": host, "reason": "busy"},
                )
            self._changed.wait((ends if is_full else min(ends, state.next_start)) - now)
