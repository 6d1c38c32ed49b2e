"""What a job process tells its worker of its progress."""

from __future__ import annotations

from multiprocessing import Pipe

from common.jobs.child import PipeProgress, receive


def test_a_new_step_is_told_at_once_and_the_same_one_now_and_then() -> None:
    ours, theirs = Pipe()
    progress = PipeProgress(theirs, None)
    for step, percent in [
        ("reading", 0),
        ("pages:1/9", 10),
        ("pages:2/9", 20),
        ("packing", 90),
        ("packing", 95),
    ]:
        progress.report(step, percent)
    theirs.close()
    told = []
    while ours.poll():
        try:
            told.append(receive(ours)["progress"]["step"])
        except EOFError:
            break
    assert told == ["reading", "pages:1/9", "packing"]
