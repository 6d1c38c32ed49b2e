from __future__ import annotations

import sys

import pytest

from tests.bench.archive import measured
from tests.servers.seaweed import SeaweedServer


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory as Linux reports it")
def test_the_size_of_an_archive_does_not_show_in_memory(object_server: SeaweedServer) -> None:
    """Two gigabytes take what two hundred megabytes take: `python -m tests.bench.archive` has the figures."""
    small, large = (measured(megabytes, object_server.environment) for megabytes in (40, 200))
    assert large["megabytes"] >= 200
    assert large["peak"] < small["peak"] + 20
    assert large["peak"] < 150
