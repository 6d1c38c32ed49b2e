"""Spreads pages over processes of their own: ordered, bounded in memory, and gone on any error."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

from common.errors import ProcessingTimeout, ProcessorCrashed, SecretaryError
from common.processing.ocr.page import OcrPage, ocr_image

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# A page that takes longer hangs: the recogniser's own limit is 120 seconds, and it may run twice.
ITEM_SECONDS = 300.0
# Finished pages may wait for a slow one before them, but only so many.
AHEAD_PER_PROCESS = 4


def ocr_files(paths: Iterable[Path], *, language: str | None, processes: int) -> Iterator[OcrPage]:
    """Read pictures of pages in order."""
    return in_processes(partial(ocr_file, language=language), paths, processes=processes)


def ocr_file(path: Path, *, language: str | None) -> OcrPage:
    from PIL import Image

    with Image.open(path) as image:
        return ocr_image(image, language=language)


def in_processes(
    work: Callable[[Item], Answer],
    items: Iterable[Item],
    *,
    processes: int,
    item_seconds: float = ITEM_SECONDS,
) -> Iterator[Answer]:
    """`map` over spawned processes. `work` must be importable by name; items are taken as needed.

    With one process the work is done here. The processes end with the iterator, however it ends.
    """
    if processes <= 1:
        yield from map(work, items)
        return
    workers = [_Worker(work, item_seconds) for _ in range(processes)]
    try:
        yield from _ordered(workers, iter(items), ahead=processes * AHEAD_PER_PROCESS)
    finally:
        for worker in workers:
            worker.kill()


def _ordered(workers: list[_Worker[Item, Answer]], items: Iterator[Item], *, ahead: int) -> Iterator[Answer]:
    answers: dict[int, Answer] = {}
    taken = given = 0
    exhausted = False
    while True:
        for worker in workers:
            if worker.position is None and not exhausted and taken - given < ahead:
                exhausted = not worker.give(taken, items)
                taken += 0 if exhausted else 1
        while given in answers:
            yield answers.pop(given)
            given += 1
        if exhausted and given == taken:
            return
        if busy := [worker for worker in workers if worker.position is not None]:
            _collect(busy, answers)


def _collect(busy: list[_Worker[Item, Answer]], answers: dict[int, Answer]) -> None:
    ready = wait([worker.connection for worker in busy], timeout=busy[0].item_seconds)
    if not ready:
        raise ProcessingTimeout(f"No page was finished within {busy[0].item_seconds:.0f} seconds.")
    for worker in busy:
        if worker.connection in ready:
            position, answer = worker.take()
            answers[position] = answer


class _Worker(Generic[Item, Answer]):
    """One process and the page it is at."""

    def __init__(self, work: Callable[[Item], Answer], item_seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.item_seconds = item_seconds
        self.position: int | None = None
        self.connection, self._far_end = context.Pipe()
        self._process: BaseProcess = context.Process(target=_serve, args=(self._far_end, work), daemon=True)
        self._started = False

    def give(self, position: int, items: Iterator[Item]) -> bool:
        """Hand out the next item; False when there is none."""
        try:
            item = next(items)
        except StopIteration:
            return False
        self._start()
        try:
            self.connection.send(item)
        except OSError as error:
            raise _crashed(self._process) from error
        self.position = position
        return True

    def take(self) -> tuple[int, Answer]:
        position, self.position = self.position, None
        assert position is not None  # noqa: S101 - only busy workers are asked
        try:
            answer, error = self.connection.recv()
        except (EOFError, OSError) as lost:
            raise _crashed(self._process) from lost
        if error is not None:
            raise error
        return position, answer

    def kill(self) -> None:
        self.connection.close()
        self._far_end.close()
        if self._started:
            self._process.kill()
            self._process.join()
        self._process.close()

    def _start(self) -> None:
        """With its first item: three pages need no fourth process."""
        if not self._started:
            self._process.start()
            self._far_end.close()
            self._started = True


def _crashed(process: BaseProcess) -> ProcessorCrashed:
    process.join(timeout=1)
    return ProcessorCrashed(f"The process that reads pages died (exit code {process.exitcode}).")


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """The loop of a process: ends when the other side closes or dies."""
    while True:
        try:
            item = connection.recv()
        except EOFError:
            return
        connection.send(_answer(work, item))


def _answer(work: Callable[[Any], Any], item: Any) -> tuple[Any, Exception | None]:
    try:
        return work(item), None
    except SecretaryError as error:
        return None, _portable(error)
    except Exception as error:  # noqa: BLE001 - it is raised again on the other side
        return None, ProcessorCrashed(f"{type(error).__name__} while reading a page: {error}")


def _portable(error: SecretaryError) -> SecretaryError:
    """Without its traceback and cause, which may not be picklable."""
    return type(error)(error.message, details=error.details, retry_after=error.retry_after)
