"""Receivers that wait share one open poll per queue; what nobody waits for any more is given back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from common.errors import Unavailable
from common.queue.base import Delivery, Message
from common.queue.sqs_polls import SqsPolls


class Desk:
    """Plays SQS: a poll stays open until the test puts something on its queue or closes it."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.given_back: list[Delivery] = []
        self._answers: dict[str, list[Delivery] | Exception] = {}
        self._changed = threading.Condition()
        self.polls = SqsPolls(self._poll, self.given_back.extend)

    def answer(self, queue: str, with_: list[Delivery] | Exception) -> None:
        with self._changed:
            self._answers[queue] = with_
            self._changed.notify_all()

    def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def _poll(self, queue: str, seconds: int) -> list[Delivery]:
        with self._changed:
            self.opened.append(queue)
            assert self._changed.wait_for(lambda: queue in self._answers, timeout=20)
            found = self._answers.pop(queue)
        if isinstance(found, Exception):
            raise found
        return found


def delivery(name: str, queue: str) -> Delivery:
    return Delivery(message=Message(queue=queue, subject_id=name), receipt=name, deliveries=1)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def waiting(desk: Desk, queues: list[str], results: list[list[Delivery]]) -> threading.Thread:
    thread = threading.Thread(target=lambda: results.append(desk.polls.wait(queues, seconds=20)))
    thread.start()
    return thread


def test_the_first_queue_with_a_message_ends_the_wait_and_a_late_one_is_given_back(desk: Desk) -> None:
    results: list[list[Delivery]] = []
    thread = waiting(desk, ["a", "b"], results)
    desk.until(lambda: sorted(desk.opened) == ["a", "b"])

    desk.answer("b", [delivery("first", "b")])
    thread.join()
    desk.answer("a", [delivery("late", "a")])

    assert [item.receipt for item in results[0]] == ["first"]
    desk.until(lambda: [item.receipt for item in desk.given_back] == ["late"])


def test_a_poll_that_is_still_open_serves_the_next_receiver(desk: Desk) -> None:
    results: list[list[Delivery]] = []
    first = waiting(desk, ["a", "b"], results)
    desk.until(lambda: len(desk.opened) == 2)
    desk.answer("b", [delivery("one", "b")])
    first.join()

    second = waiting(desk, ["a"], results)
    desk.until(lambda: len(desk.polls._receivers) == 1)
    desk.answer("a", [delivery("two", "a")])
    second.join()

    assert [item.receipt for taken in results for item in taken] == ["one", "two"]
    assert desk.opened.count("a") == 1, "one open poll per queue, however many receivers"
    assert desk.given_back == []


def test_an_empty_poll_is_opened_again_while_someone_waits(desk: Desk) -> None:
    results: list[list[Delivery]] = []
    thread = waiting(desk, ["a"], results)
    desk.until(lambda: desk.opened == ["a"])
    desk.answer("a", [])
    desk.until(lambda: desk.opened == ["a", "a"])
    desk.answer("a", [delivery("one", "a")])
    thread.join()

    assert [item.receipt for item in results[0]] == ["one"]


def test_an_outage_reaches_the_one_who_waits(desk: Desk) -> None:
    threading.Timer(0.1, desk.answer, ["a", Unavailable("gone")]).start()

    with pytest.raises(Unavailable, match="gone"):
        desk.polls.wait(["a"], seconds=20)


def test_close_ends_the_wait(desk: Desk) -> None:
    threading.Timer(0.1, desk.polls.close).start()

    assert desk.polls.wait(["a"], seconds=20) == []
    desk.answer("a", [])
