"""One stack with short leases for all single faults; each test repairs what it breaks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.stack import FaultyStack, faulty_stack


@pytest.fixture(scope="session")
def shared_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyStack]:
    limits = {
        "SECRETARY_JOBS__STALL_SECONDS": "4",
        "SECRETARY_JOBS__TOTAL_SECONDS": "12",
        "SECRETARY_JOBS__SLICE_SECONDS": "2",
        "SECRETARY_JOBS__MEMORY_BYTES": str(400 * 1024**2),
    }
    with faulty_stack(tmp_path_factory.mktemp("faults"), settings=limits) as stack:
        yield stack


@pytest.fixture
def faulty(shared_stack: FaultyStack) -> Iterator[FaultyStack]:
    shared_stack.keep_workers()
    yield shared_stack
    shared_stack.keep_workers()
