"""The sweep timer of the embedded stack."""

from __future__ import annotations

import threading

from common import logs
from common.jobs.database import FAULTS
from common.jobs.sweep import sweep
from common.services import services
from infra.local.signals import on_stop


def main() -> None:
    stopping = threading.Event()
    on_stop(stopping.set)
    provided = services()
    while not stopping.wait(provided.settings.sweep.interval_seconds):
        try:
            sweep(provided)
        except FAULTS as error:
            logs.warning("sweep waits", error=type(error).__name__)


if __name__ == "__main__":
    main()
