"""The sweep timer of the embedded stack."""

from __future__ import annotations

import signal
import threading

from pymongo.errors import PyMongoError

from common import logs
from common.errors import SecretaryError
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
        except (PyMongoError, SecretaryError) as error:
            logs.warning("sweep waits", error=type(error).__name__)


if __name__ == "__main__":
    main()
