"""Faults inside a worker: each costs what it must, and nothing beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from common.errors import Unavailable
from common.jobs.flights import Flights
from common.jobs.intake import Intake
from tests.integration.engine.helpers import WORKER, Engine

pytestmark = pytest.mark.timeout(120)


def raising(error: Exception) -> Callable[..., Any]:
    def act(*_: object, **__: object) -> Any:
        raise error

    return act


def test_claimed_jobs_are_run_although_another_message_cannot_be_put_off(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, held = engine.submit(), engine.submit()
    engine.claim(held.job_id, "another-worker")
    monkeypatch.setattr(engine.services.queue, "retry_later", raising(Unavailable("The queue is away.")))
    taken = Intake(engine.services, WORKER, Flights()).take(wait_seconds=0)
    assert [flight.run.job_id for flight in taken or []] == [first.job_id]
