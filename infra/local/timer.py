"""The sweep timer of the embedded stack."""

from __future__ import annotations

import signal
import threading

from common import logs
from common.jobs.database import FAULTS
from common.jobs.sweep import sweep
from common.services import services


def main() -> None:
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    provided = services()
    while not stopping.wait(provided.settings.sweep.interval_seconds):
        try:
            sweep(provided)
        except FAULTS as error:
            logs.warning("sweep waits", error=type(error).__name__)


if __name__ == "__main__":
    main()
