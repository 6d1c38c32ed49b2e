"""A call that fetches something itself does not wait for it as long as a job may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from common.access import Caller
from common.errors import DownloadFailed
from common.jobs.estimate import estimate
from common.jobs.schedule_import import import_schedule
from common.services import Services
from tests.unit.outbound.loopback import Exchange, Loopback

ANNA = Caller(user_id="anna")
DRIPS = 100  # tenths of a second


def drip(exchange: Exchange) -> None:
    exchange.head(200, {"Content-Length": str(DRIPS)})
    for _ in range(DRIPS):
        exchange.send(b" ")
        exchange.pause(0.1)


@pytest.fixture
def slow_site() -> Iterator[Loopback]:
    with Loopback(routes={"/slow": drip}) as server:
        yield server


def estimated(services: Services, url: str) -> Any:
    return estimate(services, ANNA, {"job_type": "pdf", "parameters": {"url": url}})


def imported(services: Services, url: str) -> Any:
    return import_schedule(services, ANNA, {"url": url})


@pytest.mark.parametrize("call", [estimated, imported])
def test_a_source_that_drips_is_given_up_when_the_caller_has_waited_enough(
    services: Services, slow_site: Loopback, call: Callable[[Services, str], Any]
) -> None:
    known = services.settings
    impatient = known.model_copy(update={"http": known.http.model_copy(update={"max_wait_seconds": 1.0})})
    with pytest.raises(DownloadFailed) as failure:
        call(replace(services, settings=impatient), slow_site.url("/slow"))

    assert failure.value.details["reason"] == "timeout"
