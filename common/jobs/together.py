"""Writes that are asked for at the same time go to the database as one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
# Writes all items; the faults of single ones by their place, and raised what befell them all.
WriteAll = Callable[[Sequence[Item]], Mapping[int, Exception]]


class Together(Generic[Item]):
    """Call it with one item; it returns when that item is written.

    The first caller writes at once. Who comes while it does so waits, and the next write takes them all: a
    round trip costs a busy process as much as all else it does for a request.
    """

    def __init__(self, write_all: WriteAll[Item]) -> None:
        self._write_all = write_all
        self._lock = threading.Lock()
        self._waiting: list[_Call[Item]] = []
        self._is_writing = False

    def __call__(self, item: Item) -> None:
        mine = _Call(item)
        with self._lock:
            self._waiting.append(mine)
            is_first, self._is_writing = not self._is_writing, True
        if not is_first:
            mine.turn.wait()
        if not mine.is_written:
            self._write_for_all()
        if mine.fault:
            raise mine.fault

    def _write_for_all(self) -> None:
        with self._lock:
            calls, self._waiting = self._waiting, []
        faults: Mapping[int, BaseException] = {}
        try:
            faults = self._write_all([call.item for call in calls])
        except BaseException as error:  # noqa: BLE001 - each caller raises it
            faults = dict.fromkeys(range(len(calls)), error)
        with self._lock:
            self._is_writing = bool(self._waiting)
            following = self._waiting[:1]
        for place, call in enumerate(calls):
            call.fault, call.is_written = faults.get(place), True
            call.turn.set()
        for call in following:  # it writes for those behind it
            call.turn.set()


class _Call(Generic[Item]):
    def __init__(self, item: Item) -> None:
        self.item = item
        self.turn = threading.Event()
        self.is_written = False  # or failed
        self.fault: BaseException | None = None
