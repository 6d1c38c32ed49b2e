"""One worker process of the embedded stack."""

from __future__ import annotations

import sys

from common import logs
from common.clock import new_id
from common.jobs.worker import Worker
from common.services import services
from common.webhooks.worker import Notifier
from infra.local.signals import on_stop


def main() -> None:
    if not services().settings.generic_worker.active:
        logs.info("worker takes no jobs", reason="generic_worker.active is false")
        return
    worker = Worker(services(), sys.argv[1] if len(sys.argv) > 1 else new_id("worker"))
    notifier = Notifier(services())
    on_stop(worker.stop)
    notifier.start()
    worker.work()
    notifier.stop()


if __name__ == "__main__":
    main()
