"""A process that is asked to stop does so, whatever its main thread was about to do."""

from __future__ import annotations

import subprocess
import sys

# The main thread holds the lock of the event, as it does for a moment in every wait.
PROGRAM = """
import os, signal, threading
from infra.local.signals import on_stop

stopping = threading.Event()
on_stop(stopping.set)
with stopping._cond:
    os.kill(os.getpid(), signal.SIGTERM)
    sum(range(100_000))
print(stopping.wait(20))
"""


def test_a_stop_does_not_wait_for_the_thread_that_it_interrupts() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "True\n"
