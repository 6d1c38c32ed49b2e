"""One place to run a job: a warm child process, watched, and replaced when it dies or must be stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from common.errors import ProcessingStalled, ProcessingTimeout, ProcessorCrashed
from common.jobs.child import receive, send
from common.jobs.model import Job
from common.settings import Jobs

JOBS_AHEAD = 50  # before a child's last job its successor is started
POLL_SECONDS = 0.25  # how soon a stop is noticed while the child is silent
NEWS = {"progress", "log", "cache"}  # what a child says on its way; all else is its last word
KILLED = -signal.SIGKILL
EXIT_SECONDS = 0.1  # for a child that closed its socket to tell its exit code


@dataclass
class RunState:
    """What is known of a running job between two pulses; shared by two threads under its lock."""

    job: Job
    started: float = field(default_factory=time.monotonic)  # in its slot, after it may have waited for one
    lock: threading.Lock = field(default_factory=threading.Lock)
    progress: dict[str, Any] | None = None
    logs: list[dict[str, Any]] = field(default_factory=list)
    last_logs: tuple[dict[str, Any], ...] = ()
    caches: set[str] = field(default_factory=set)  # all that this run has opened
    stop: str | None = None  # "cancelled", "lost" or "shutdown": why the child must end
    has_ended: bool = False  # its slot is free; its end is being written

    def take_news(self) -> tuple[dict[str, Any] | None, tuple[dict[str, Any], ...]]:
        with self.lock:
            news = self.progress, tuple(self.logs)
            self.progress, self.logs = None, []
            return news

    def give_back(self, progress: dict[str, Any] | None, lines: tuple[dict[str, Any], ...]) -> None:
        """News that could not be written, before what has come since."""
        with self.lock:
            self.progress = self.progress or progress
            self.logs = [*lines, *self.logs]

    def known_caches(self) -> tuple[str, ...]:
        with self.lock:
            return tuple(sorted(self.caches))

    def take_last_logs(self) -> tuple[dict[str, Any], ...]:
        """For the write of the end, which may be tried several times."""
        with self.lock:
            self.last_logs += tuple(self.logs)
            self.logs = []
            return self.last_logs


@dataclass
class Child:
    """A process that runs jobs, and the line to it."""

    process: subprocess.Popen[bytes]
    connection: Connection
    jobs_done: int = 0

    @classmethod
    def start(cls) -> Child:
        ours, theirs = Pipe()
        process = subprocess.Popen(
            [sys.executable, "-m", "common.jobs.child", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that all it starts can be ended with it
        )
        theirs.close()
        return cls(process=process, connection=ours)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> int:
        """Ends it and all it started; its exit code."""
        code = _kill_group(self.process)
        self.connection.close()
        return code


class Slot:
    """Runs one job at a time in its child; not shared between threads."""

    def __init__(self, options: Jobs) -> None:
        self._options = options
        self._child: Child | None = None
        self._successor: Child | None = None  # started ahead, so that a new child costs no job its start

    def run(self, state: RunState, order: dict[str, Any]) -> dict[str, Any]:
        """The child's last word, or one of ours in its place: failed, continue, completed, stopped."""
        if state.stop:
            return {"stopped": state.stop}
        state.started = time.monotonic()
        try:
            child = self._ready()
            send(child.connection, **order)
            answer = self._listen(child.connection, state)
        except (EOFError, OSError):
            return self._died()
        child.jobs_done += 1
        if child.jobs_done >= self._options.recycle_after_jobs or "stopped" in answer:
            self._end_child()
        elif child.jobs_done == self._options.recycle_after_jobs - JOBS_AHEAD:
            self._successor = self._successor or Child.start()
        return answer

    def warm_up(self) -> None:
        self._ready()

    def close(self) -> None:
        """Ends the children and all they started."""
        self._end_child()
        if self._successor:
            self._successor.close()
            self._successor = None

    def _end_child(self) -> int | None:
        code = self._child.close() if self._child else None
        self._child = None
        return code

    def _listen(self, connection: Connection, state: RunState) -> dict[str, Any]:
        heard = time.monotonic()
        seconds_left = self._options.total_seconds - state.job.used_seconds
        while True:
            if connection.poll(POLL_SECONDS):
                message = receive(connection)
                heard = time.monotonic()
                if not message.keys() & NEWS:
                    return message
                self._note(state, message)
            now = time.monotonic()
            if state.stop:
                return self._stopped(state.stop)
            if now - heard > self._options.stall_seconds:
                self._end_child()
                limit = self._options.stall_seconds
                return _failure(ProcessingStalled(f"The job showed no progress for {limit:.0f} seconds."))
            if now - state.started > seconds_left:
                self._end_child()
                limit = self._options.total_seconds
                return _failure(ProcessingTimeout(f"The job did not end within its {limit:.0f} seconds."))

    def _stopped(self, reason: str) -> dict[str, Any]:
        self._end_child()
        return {"stopped": reason}

    def _note(self, state: RunState, message: dict[str, Any]) -> None:
        with state.lock:
            if "cache" in message:
                state.caches.add(message["cache"])
            elif "log" in message:
                state.logs.append(message["log"])
            else:
                state.progress = with_eta(message["progress"], time.monotonic() - state.started)

    def _died(self) -> dict[str, Any]:
        code = self._end_child()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        hint = " It may have used too much memory." if code == KILLED else ""
        return _failure(ProcessorCrashed(f"The process of this job died ({how}).{hint}"))

    def _ready(self) -> Child:
        if self._child is not None and not self._child.is_alive:
            self._end_child()
        if self._child is None:
            self._child, self._successor = self._successor or Child.start(), None
            if not self._child.is_alive:
                self._child = Child.start()
        return self._child


def with_eta(progress: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Time left, from the pace so far."""
    done, total = progress.pop("done"), progress.pop("total")
    if total:
        progress |= {"pages_done": done, "pages_total": total}
    share = progress["percent"] / 100
    eta = round(seconds / share - seconds, 1) if share > 0 else None
    return progress | {"eta_seconds": eta}


def _failure(error: ProcessingStalled | ProcessingTimeout | ProcessorCrashed) -> dict[str, Any]:
    return {"failed": error.as_dict(), "retryable": error.retryable, "retry_after": None}


def _kill_group(child: subprocess.Popen[bytes]) -> int:
    """Its exit code: its own, if it was already dying, else that of our signal."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=EXIT_SECONDS)
    with contextlib.suppress(ProcessLookupError):  # the whole group is gone already
        os.killpg(child.pid, signal.SIGKILL)
    return child.wait()
