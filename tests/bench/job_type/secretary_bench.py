"""The measured job: one record that says when it began and in which session, then sleep."""

from __future__ import annotations

import os
import time

from common.processing.base import Context, Parameters, Result
from common.processing.registry import JobType

BENCH = JobType(
    name="bench",
    summary="Writes one line and sleeps.",
    parameters="secretary_bench:BenchParameters",
    handler="secretary_bench:handle",
)


class BenchParameters(Parameters):
    seconds: float = 0.0


def handle(parameters: BenchParameters, context: Context) -> Result:
    log = os.open(os.environ["QUEUE_PEERS_LOG"], os.O_WRONLY | os.O_APPEND)
    os.write(log, b"%023d %07d\n" % (time.monotonic_ns(), _session_of_the_worker()))
    os.close(log)
    time.sleep(parameters.seconds)
    return Result()


def _session_of_the_worker() -> int:
    """A job runs in a session of its own below that of its worker, which is the one that gets killed."""
    return os.getsid(os.getppid())
