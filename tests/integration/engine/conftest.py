"""The test job types, and a caller to submit them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from common.access import Caller
from common.services import Services
from tests.integration.engine.helpers import Engine
from tests.servers.job_types import FOLDER, known_here


@pytest.fixture(autouse=True)
def test_types() -> Iterator[None]:
    with known_here():
        yield


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"PYTHONPATH": str(FOLDER)}


@pytest.fixture
def engine(services: Services) -> Engine:
    return Engine(services, Caller(user_id="ada"))
