"""What our processes do when they are asked to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable


def on_stop(act: Callable[[], None]) -> None:
    """In a thread of its own: a signal interrupts the main thread, which may hold the lock that `act` needs.
    Ctrl-C is left to the supervisor, which decides when to stop."""
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=act, name="stop").start())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
