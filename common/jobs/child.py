"""The process that runs processors, apart from the worker: a crash, a hang or a memory fault in a native
library costs one attempt and nothing else. It speaks JSON with its parent over one socket."""

from __future__ import annotations

import ctypes
import json
import resource
import signal
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

from common import logs
from common.errors import ProcessingError, ProcessorCrashed, SecretaryError
from common.processing.base import HandOver
from common.settings import Settings, settings
from common.tracing import tracer_for

PR_SET_PDEATHSIG = 1
REPORT_SECONDS = 0.2  # the parent writes at most once a second, so more would only fill the socket


class PipeProgress:
    """Reports to the parent; a new step at once, the same step at most five times a second."""

    def __init__(self, connection: Connection, deadline: float | None) -> None:
        self._connection = connection
        self._deadline = deadline
        self._last = 0.0
        self._step = ""

    def report(
        self,
        step: str,
        percent: float,
        message: str = "",
        *,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        now, name = time.monotonic(), step.partition(":")[0]
        if name == self._step and now - self._last < REPORT_SECONDS:
            return
        self._last, self._step = now, name
        send(self._connection, progress={
            "step": step, "percent": round(percent, 1), "message": message, "done": done, "total": total,
        })  # fmt: skip

    def log(self, level: str, message: str) -> None:
        send(self._connection, log={"level": level, "message": message[:1000]})

    def seconds_left(self) -> float:
        return float("inf") if self._deadline is None else self._deadline - time.monotonic()


def send(connection: Connection, **message: Any) -> None:
    """Half a surrogate pair is no text that could be stored: a question mark takes its place."""
    whole = json.dumps(message, default=str, ensure_ascii=False)
    connection.send_bytes(whole.encode("utf-8", "replace"))


def receive(connection: Connection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(connection.recv_bytes())
    return message


def run(connection: Connection, options: Settings) -> None:
    """One order after the other, until the parent closes the socket."""
    import common.jobs.execution  # noqa: F401 - while nobody waits yet

    while True:
        try:
            order = receive(connection)
        except EOFError:
            return
        send(connection, **_answer(connection, order, options))
        tracer_for(options.tracing).flush()


def _answer(connection: Connection, order: dict[str, Any], options: Settings) -> dict[str, Any]:
    from common.jobs.execution import execute

    slice_seconds = order["slice_seconds"]
    deadline = None if slice_seconds is None else time.monotonic() + slice_seconds
    try:
        job = order["job"]
        with tracer_for(options.tracing).span(f"process {job['job_type']}", parent=order.get("trace")):
            progress = PipeProgress(connection, deadline)
            done = execute(job, progress, options, on_cache=lambda prefix: send(connection, cache=prefix))
            return {"completed": done}
    except HandOver as hand_over:
        return {"continue": hand_over.checkpoint}
    except SecretaryError as error:
        return {"failed": error.as_dict(), "retryable": error.retryable, "retry_after": error.retry_after}
    except MemoryError:
        crash = ProcessorCrashed("The job needed more memory than it may use.")
        return {"failed": crash.as_dict(), "retryable": crash.retryable, "retry_after": None}
    except Exception as error:  # noqa: BLE001 - a processor may fail in any way; the log has the trace
        logs.exception("processor failed", job_id=order["job"]["job_id"])
        fault = ProcessingError(f"The processor failed unexpectedly ({type(error).__name__}).")
        return {"failed": fault.as_dict(), "retryable": True, "retry_after": None}


def _die_with_parent() -> None:
    """So that a killed worker leaves nothing running that could still write."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    _die_with_parent()
    options = settings()
    logs.configure(options.logging)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    resource.setrlimit(resource.RLIMIT_DATA, (options.jobs.memory_bytes, options.jobs.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run(Connection(int(sys.argv[1])), options)


if __name__ == "__main__":
    main()
