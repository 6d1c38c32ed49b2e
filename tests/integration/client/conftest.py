"""Each test of the Python client runs with both of them, against the running service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.client.calls import CLIENTS
from tests.servers.front import Front, front
from tests.servers.site import site
from tests.servers.stack import StackServer

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(params=list(CLIENTS))
def client(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Makes a client for an address; all are closed after the test."""
    made: list[Any] = []

    def make(url: str, **options: Any) -> Any:
        made.append(CLIENTS[request.param](url, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def secretary(client: Callable[..., Any], stack: StackServer) -> Any:
    return client(stack.url)


@pytest.fixture
def trouble(stack: StackServer) -> Iterator[Front]:
    with front(stack.url) as opened:
        yield opened


@pytest.fixture
def papers() -> Iterator[str]:
    """The address of the samples, as a web site."""
    with site(SAMPLES) as address:
        yield address
