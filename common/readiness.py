"""Can this process do its work: MongoDB, the object store and the queue, each asked now."""

from __future__ import annotations

from collections.abc import Callable

from common import logs
from common.jobs.database import FAULTS
from common.services import Services


def readiness(services: Services) -> dict[str, bool]:
    checks: dict[str, Callable[[], object]] = {
        "mongodb": lambda: services.database.command("ping"),
        "objects": services.objects.check,
        "queue": services.queue.check,
    }
    return {name: _answers(name, check) for name, check in checks.items()}


def _answers(name: str, check: Callable[[], object]) -> bool:
    try:
        check()
    except FAULTS as error:
        logs.warning("not ready", part=name, error=type(error).__name__)
        return False
    return True
