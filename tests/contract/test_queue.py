"""What every queue adapter promises."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from common.errors import Unavailable
from common.queue.base import NOTIFY_QUEUE, Delivery, Message, QueuePort, dead_letters, queue_for
from tests.contract.conftest import QueueBench

PLAIN = queue_for("pdf", 1)
HIGH = queue_for("pdf", 9)
OTHER = queue_for("session", 1)
PATIENCE_SECONDS = 20.0


def message(subject_id: str, queue: str = PLAIN, *, user_id: str = "anna", delay: float = 0.0) -> Message:
    return Message(queue=queue, subject_id=subject_id, user_id=user_id, delay_seconds=delay)


def take(queue: QueuePort, *names: str, limit: int = 1, wait: float = 5.0) -> list[Delivery]:
    return queue.receive(names or (PLAIN,), limit=limit, wait_seconds=wait)


def one(queue: QueuePort, *names: str, wait: float = PATIENCE_SECONDS) -> Delivery:
    (delivery,) = take(queue, *names, wait=wait)
    return delivery


def drain(queue: QueuePort, *names: str) -> list[Message]:
    """Everything that can be had now, done as it comes."""
    found = []
    while taken := take(queue, *names, limit=10, wait=0):
        found += [delivery.message for delivery in taken]
        queue.done(taken)
    return found


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.1)


def test_what_is_sent_is_received_as_it_was(queue: QueuePort) -> None:
    queue.send([message("job-1", user_id="anna")])

    delivery = one(queue)

    assert delivery.message == message("job-1", user_id="anna")
    assert delivery.deliveries == 1


@pytest.mark.parametrize("user_id", ["", "anna@example.org", "Jürgen Müller", "ü" * 200])
def test_any_user_id_can_travel(queue: QueuePort, user_id: str) -> None:
    queue.send([message("job-1", user_id=user_id)])

    assert one(queue).message.user_id == user_id


def test_a_webhook_delivery_travels_too(queue: QueuePort) -> None:
    queue.send([message("delivery-1", NOTIFY_QUEUE)])

    assert one(queue, NOTIFY_QUEUE).message == message("delivery-1", NOTIFY_QUEUE)


def test_nothing_is_received_from_empty_queues(queue: QueuePort) -> None:
    assert take(queue, PLAIN, HIGH, wait=0) == []


def test_sending_nothing_is_fine(queue: QueuePort) -> None:
    queue.send([])

    assert queue.depth([PLAIN]) == {PLAIN: 0}


def test_a_message_in_someones_hands_is_hidden_from_others(queue_bench: QueueBench) -> None:
    mine, theirs = queue_bench.open(), queue_bench.open()
    mine.send([message("job-1")])

    one(mine)

    assert take(theirs, wait=1) == []


def test_a_message_that_is_done_never_comes_again(queue_bench: QueueBench) -> None:
    queue = queue_bench.open(visibility_seconds=1)
    queue.send([message("job-1")])

    queue.done([one(queue)])

    assert take(queue, wait=3) == []
    assert queue.depth([PLAIN]) == {PLAIN: 0}


def test_a_message_nobody_finishes_comes_again(queue_bench: QueueBench) -> None:
    queue = queue_bench.open(visibility_seconds=1)
    queue.send([message("job-1")])
    first = one(queue)

    second = one(queue)

    assert second.message == first.message
    assert second.deliveries == 2


def test_a_message_whose_time_is_extended_stays_hidden(queue_bench: QueueBench) -> None:
    short, long = queue_bench.open(visibility_seconds=2), queue_bench.open(visibility_seconds=60)
    short.send([message("job-1")])
    delivery = one(short)

    long.extend([delivery])

    assert take(short, wait=4) == []


def test_a_heartbeat_keeps_a_message_for_longer_than_its_time(queue_bench: QueueBench) -> None:
    mine, theirs = queue_bench.open(visibility_seconds=3), queue_bench.open(visibility_seconds=3)
    mine.send([message("job-1")])
    delivery = one(mine)

    for _ in range(5):
        mine.extend([delivery])
        assert take(theirs, wait=1) == []
    mine.done([delivery])

    assert mine.depth([PLAIN]) == {PLAIN: 0}


def test_a_message_put_off_comes_after_its_delay(queue_bench: QueueBench) -> None:
    queue = queue_bench.open()
    queue.send([message("job-1")])
    delivery = one(queue)

    queue.retry_later(delivery, delay_seconds=2)
    began = time.monotonic()

    assert take(queue, wait=0) == []
    assert one(queue).message == delivery.message
    assert time.monotonic() - began >= 1.5


def test_a_message_put_off_by_nothing_comes_at_once(queue: QueuePort) -> None:
    queue.send([message("job-1")])

    queue.retry_later(one(queue), delay_seconds=0)

    assert one(queue).message == message("job-1")


def test_a_delayed_message_comes_after_its_delay(queue: QueuePort) -> None:
    queue.send([message("job-1", delay=2.0)])
    began = time.monotonic()

    assert take(queue, wait=0) == []
    assert one(queue).message.subject_id == "job-1"
    assert time.monotonic() - began >= 1.5


def test_a_delay_longer_than_the_queue_can_is_accepted(queue: QueuePort) -> None:
    queue.send([message("job-1", delay=100_000.0)])

    assert take(queue, wait=0) == []
    assert queue.depth([PLAIN]) == {PLAIN: 1}


def test_the_first_queue_goes_first(queue: QueuePort) -> None:
    queue.send([message(f"plain-{n}") for n in range(3)])
    queue.send([message(f"high-{n}", HIGH) for n in range(3)])

    order = [one(queue, HIGH, PLAIN).message.queue for _ in range(6)]

    assert order == [HIGH] * 3 + [PLAIN] * 3


def test_only_the_queues_asked_for_are_served(queue: QueuePort) -> None:
    queue.send([message("job-1", OTHER)])

    assert take(queue, PLAIN, HIGH, wait=1) == []
    assert one(queue, PLAIN, OTHER).message.subject_id == "job-1"


def test_a_waiting_receiver_is_served_when_a_message_comes(queue_bench: QueueBench) -> None:
    receiver, sender = queue_bench.open(), queue_bench.open()
    take(receiver, HIGH, PLAIN, OTHER, wait=0)  # connections are open from here on
    threading.Timer(0.5, sender.send, [[message("job-1", OTHER)]]).start()
    began = time.monotonic()

    delivery = one(receiver, HIGH, PLAIN, OTHER, wait=15)

    assert delivery.message.subject_id == "job-1"
    assert time.monotonic() - began < 10, "the receiver slept through the message"


def test_two_waiting_receivers_get_one_message_each(queue: QueuePort) -> None:
    found: list[list[Delivery]] = []
    threads = [threading.Thread(target=lambda: found.append(take(queue, wait=15))) for _ in range(2)]
    for thread in threads:
        thread.start()
    queue.send([message("job-1"), message("job-2")])
    for thread in threads:
        thread.join()

    assert sorted(delivery.message.subject_id for taken in found for delivery in taken) == ["job-1", "job-2"]


def test_wake_ends_a_waiting_receive(queue: QueuePort) -> None:
    take(queue, wait=0)
    threading.Timer(0.3, queue.wake).start()
    began = time.monotonic()

    assert take(queue, wait=60) == []
    assert time.monotonic() - began < 30


def test_a_message_that_comes_after_its_receiver_left_is_there_for_the_next(queue: QueuePort) -> None:
    """The wait over several queues ends with the first message; what the others bring is not held."""
    queue.send([message("job-1", PLAIN, delay=1.0)])
    assert one(queue, PLAIN, OTHER, HIGH).message.subject_id == "job-1"

    queue.send([message("job-2", OTHER), message("job-3", HIGH)])

    found = [one(queue, HIGH, PLAIN, OTHER).message.subject_id for _ in range(2)]
    assert sorted(found) == ["job-2", "job-3"]


def test_a_job_announced_twice_is_delivered_at_least_once_and_can_be_finished(queue: QueuePort) -> None:
    """Doubles are allowed; a double that cannot be got rid of is not."""
    queue.send([message("job-1")])
    queue.send([message("job-1")])

    found = drain(queue)

    assert {item.subject_id for item in found} == {"job-1"}
    assert len(found) <= 2
    assert queue.depth([PLAIN]) == {PLAIN: 0}


def test_an_old_receipt_does_no_harm(queue_bench: QueueBench) -> None:
    queue = queue_bench.open(visibility_seconds=1)
    queue.send([message("job-1")])
    late = one(queue)
    current = one(queue)
    queue.done([current])

    queue.extend([late])
    queue.retry_later(late, delay_seconds=1)
    queue.done([late])

    assert take(queue, wait=2) == []


def test_poison_goes_to_the_dead_letters_after_its_last_delivery(queue_bench: QueueBench) -> None:
    queue = queue_bench.open(visibility_seconds=30, max_deliveries=3)
    queue.send([message("poison")])
    counts = []
    for _ in range(3):
        delivery = one(queue)
        counts.append(delivery.deliveries)
        queue.retry_later(delivery, delay_seconds=0)

    assert counts == [1, 2, 3]
    assert take(queue, wait=1) == []
    eventually(lambda: queue.depth([PLAIN, dead_letters(PLAIN)]) == {PLAIN: 0, dead_letters(PLAIN): 1})


def test_dead_letters_do_not_block_what_comes_behind(queue_bench: QueueBench) -> None:
    queue = queue_bench.open(max_deliveries=1)
    queue.send([message("poison")])
    queue.retry_later(one(queue), delay_seconds=0)
    queue.send([message("job-1")])

    assert one(queue).message.subject_id == "job-1"


def test_a_thousand_messages_in_one_call_all_arrive_once(queue: QueuePort) -> None:
    sent = [message(f"job-{n}", PLAIN if n % 3 else OTHER, user_id=f"user-{n % 7}") for n in range(1_000)]

    queue.send(sent)
    assert sum(queue.depth([PLAIN, OTHER]).values()) == 1_000

    found = drain(queue, PLAIN, OTHER)
    assert sorted(item.subject_id for item in found) == sorted(item.subject_id for item in sent)


def test_many_can_be_received_extended_and_done_at_once(queue: QueuePort) -> None:
    queue.send([message(f"job-{n}", PLAIN if n % 2 else OTHER) for n in range(25)])
    held: list[Delivery] = []
    while taken := take(queue, PLAIN, OTHER, limit=10, wait=0):
        held += taken

    queue.extend(held)
    queue.done(held)

    assert len(held) == 25
    assert queue.depth([PLAIN, OTHER]) == {PLAIN: 0, OTHER: 0}


def test_depth_knows_queues_apart_and_counts_what_is_in_work(queue: QueuePort) -> None:
    queue.send([message("job-1"), message("job-2"), message("job-3", OTHER)])
    one(queue)

    assert queue.depth([PLAIN, OTHER, HIGH]) == {PLAIN: 2, OTHER: 1, HIGH: 0}


def test_check_is_silent_while_the_queue_can_be_reached(queue: QueuePort) -> None:
    queue.check()


def test_loss_of_the_connection_is_told_as_unavailable_and_ends_by_itself(queue_bench: QueueBench) -> None:
    queue = queue_bench.open()
    queue.send([message("job-1")])
    held = one(queue)
    calls: list[Callable[[], object]] = [
        queue.check,
        lambda: queue.send([message("job-2")]),
        lambda: queue.send([message(f"bulk-{n}") for n in range(50)]),
        lambda: take(queue, wait=1),
        lambda: queue.extend([held]),
        lambda: queue.retry_later(held, delay_seconds=1),
        lambda: queue.done([held]),
        lambda: queue.depth([PLAIN]),
    ]

    queue_bench.line.cut()
    for call in calls:
        with pytest.raises(Unavailable):
            call()
    queue_bench.line.mend()

    queue.check()
    queue.done([held])
    queue.send([message("job-3")])
    assert one(queue).message.subject_id == "job-3"


def test_a_receiver_that_waits_is_told_of_an_outage(queue_bench: QueueBench) -> None:
    queue = queue_bench.open()
    take(queue, wait=0)
    threading.Timer(0.5, queue_bench.line.cut).start()

    with pytest.raises(Unavailable):
        take(queue, wait=60)
