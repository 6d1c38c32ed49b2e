"""The harness in short: `make faults` is the long form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.harness import run


@pytest.mark.timeout(240)
def test_nothing_is_lost_stuck_or_done_twice_under_fire(tmp_path: Path) -> None:
    report = run(tmp_path, jobs=40, faults=10, seed=20, pause=0.4)
    assert (report.jobs, report.faults) == (40, 10)
    assert report.verdict.violations == 0, report.verdict
