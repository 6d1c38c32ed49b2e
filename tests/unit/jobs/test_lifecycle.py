"""The one table of states."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from common.jobs.lifecycle import (
    ACTIVE,
    FINAL,
    TABLE,
    BatchStatus,
    JobStatus,
    Move,
    batch_status,
    sources,
    target,
)

COUNTS = some.dictionaries(some.sampled_from([status.value for status in JobStatus]), some.integers(1, 50))


def test_every_state_is_either_active_or_final() -> None:
    assert set(JobStatus) == ACTIVE | FINAL
    assert not ACTIVE & FINAL


@pytest.mark.parametrize("move", [move for move in Move if move != Move.RESTART])
def test_only_a_restart_leaves_a_final_state(move: Move) -> None:
    assert not TABLE[move][0] & FINAL
    assert TABLE[Move.RESTART] == (FINAL, JobStatus.PENDING)


@pytest.mark.parametrize("move", Move)
def test_the_store_filters_by_the_table(move: Move) -> None:
    assert sources(move) == sorted(TABLE[move][0])
    assert target(move) == TABLE[move][1].value


@given(COUNTS)
def test_a_batch_is_open_exactly_while_a_member_is(counts: dict[str, int]) -> None:
    is_open = batch_status(counts) in (BatchStatus.PENDING, BatchStatus.PROCESSING)
    assert is_open == any(counts.get(status) for status in ACTIVE)


@given(COUNTS)
def test_a_closed_batch_is_named_by_what_its_members_became(counts: dict[str, int]) -> None:
    counts = {status: number for status, number in counts.items() if status in FINAL}
    completed, failed, cancelled = (counts.get(status, 0) for status in ("completed", "failed", "cancelled"))
    expected = {
        BatchStatus.COMPLETED: not failed and not cancelled,
        BatchStatus.PARTIAL: completed > 0 and failed + cancelled > 0,
        BatchStatus.FAILED: not completed and failed > 0,
        BatchStatus.CANCELLED: not completed and not failed and cancelled > 0,
    }
    assert [status for status, holds in expected.items() if holds] == [batch_status(counts)]
