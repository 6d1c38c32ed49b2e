"""The threads that make the attempts outlive whatever one of them meets."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from common.services import Services
from common.webhooks.worker import Notifier
from tests.integration.webhooks.conftest import Sender

PATIENCE_SECONDS = 60.0


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {
        "SECRETARY_WEBHOOKS__THREADS": "1",
        "SECRETARY_GENERIC_WORKER__POLL_INTERVAL_SEC": "1",
    }


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_a_webhook_that_cannot_be_read_does_not_end_the_others(services: Services, sender: Sender) -> None:
    broken, whole = sender.submit(), sender.submit()
    notifier = Notifier(services)
    notifier.start()
    try:
        services.database["jobs"].update_one({"_id": broken.job_id}, {"$set": {"webhook.secrets": "?"}})
        sender.ended(broken)
        until(lambda: services.deliveries.of_job(broken.job_id, limit=1, skip=0)[0].tries == 1)
        sender.ended(whole)
        until(lambda: bool(sender.told()))
    finally:
        notifier.stop()
        for thread in notifier._threads:
            thread.join()
        notifier._outbound.close()
    (told,) = sender.told()
    assert whole.job_id in told.body.decode()
