"""Pages are read side by side, come back in order, and leave no process behind."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import ProcessingTimeout, ProcessorCrashed, UnsupportedFile
from common.processing.ocr.parallel import in_processes, ocr_files
from tests.unit.processing.pictures import LETTER, draw_page


def double(number: int) -> int:
    time.sleep(0.05 * (number % 3))
    return number * 2


def refuse_three(number: int) -> int:
    if number == 3:
        raise UnsupportedFile("three is not supported", details={"page": 3})
    return number


def die_at_three(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


def divide(number: int) -> float:
    return 1 / number


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_answers_come_in_the_order_of_the_items(processes: int) -> None:
    assert list(in_processes(double, range(10), processes=processes)) == [number * 2 for number in range(10)]


def test_nothing_to_do_is_done() -> None:
    assert list(in_processes(double, [], processes=2)) == []


def test_an_error_of_the_work_arrives_as_it_is() -> None:
    answers = in_processes(refuse_three, range(10), processes=2)
    with pytest.raises(UnsupportedFile, match="three is not supported") as caught:
        list(answers)
    assert caught.value.details == {"page": 3}


def test_an_unforeseen_error_is_named() -> None:
    with pytest.raises(ProcessorCrashed, match="ZeroDivisionError"):
        list(in_processes(divide, [1, 0], processes=2))


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(ProcessorCrashed, match="died"):
        list(in_processes(die_at_three, range(10), processes=2))


def test_a_page_that_hangs_is_ended() -> None:
    with pytest.raises(ProcessingTimeout):
        list(in_processes(sleep, [60.0, 60.0], processes=2, item_seconds=0.5))


def test_items_are_taken_only_as_needed() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    answers = in_processes(double, items(), processes=2)
    assert next(answers) == 0
    assert isinstance(answers, Iterator)
    assert len(taken) <= 12
    answers.close()  # type: ignore[attr-defined]


def test_pages_are_read_in_parallel(tmp_path: Path) -> None:
    paths = []
    for number in (1, 2, 3):
        path = tmp_path / f"{number}.png"
        draw_page((f"This is page number {number}", *LETTER[1:3]), size=(1000, 400)).save(path)
        paths.append(path)
    pages = list(ocr_files(paths, language="en", processes=2))
    assert [f"page number {number}" in page.text for number, page in enumerate(pages, 1)] == [True] * 3
