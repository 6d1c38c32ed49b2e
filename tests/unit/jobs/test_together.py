"""Who asks while another one writes is written with all who do so, and hears of their own faults only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from common.jobs.together import Together

CALLERS = 8


class Desk:
    """Holds up the first write until all callers stand in line."""

    def __init__(self) -> None:
        self.writes: list[list[int]] = []
        self.has_begun = threading.Event()
        self.may_end = threading.Event()

    def write_all(self, items: Sequence[int]) -> Mapping[int, Exception]:
        self.writes.append(list(items))
        if len(self.writes) == 1:
            self.has_begun.set()
            assert self.may_end.wait(30)
        if -1 in items:
            raise ConnectionError("all of them")
        return {place: ValueError(str(item)) for place, item in enumerate(items) if item % 2}


def called_at_once(desk: Desk, items: Sequence[int]) -> list[Future[None]]:
    together = Together(desk.write_all)
    with ThreadPoolExecutor(len(items)) as callers:
        futures = [callers.submit(together, items[0])]
        assert desk.has_begun.wait(30)
        futures += [callers.submit(together, item) for item in items[1:]]
        until(lambda: len(together._waiting) == len(items) - 1)
        desk.may_end.set()
    return futures


def until(condition: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError("waited in vain")


def test_those_who_wait_are_written_as_one() -> None:
    desk = Desk()
    futures = called_at_once(desk, list(range(CALLERS)))

    assert [len(write) for write in desk.writes] == [1, CALLERS - 1]
    assert sorted(desk.writes[1]) == list(range(1, CALLERS))
    for item, future in enumerate(futures):
        fault = future.exception()
        assert (str(fault) if fault else None) == (str(item) if item % 2 else None)


def test_what_befalls_a_write_befalls_all_in_it_and_no_later_one() -> None:
    desk = Desk()
    futures = called_at_once(desk, [0, -1, 2, 4])

    assert futures[0].exception() is None
    assert [type(future.exception()) for future in futures[1:]] == [ConnectionError] * 3


def test_one_after_another_each_is_written_at_once() -> None:
    desk = Desk()
    desk.may_end.set()
    together = Together(desk.write_all)
    for item in (0, 2):
        together(item)
    with pytest.raises(ValueError, match="1"):
        together(1)
    assert desk.writes == [[0], [2], [1]]
