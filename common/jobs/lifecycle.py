"""The one table of states: what a job may become, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class JobStatus(StrEnum):
    """States of a job."""

    PENDING = "pending"  # waits for a worker, a start time or a retry
    PROCESSING = "processing"  # a worker holds its lease
    COMPLETED = "completed"  # delivered; final unless restarted
    FAILED = "failed"  # out of attempts, or an error no retry can mend
    CANCELLED = "cancelled"  # a user said stop


class Move(StrEnum):
    """What can happen to a job; each move leads from some states to one."""

    CLAIM = "claim"  # a worker takes it, or takes it over after an expired lease
    COMPLETE = "complete"
    FAIL = "fail"
    RETRY = "retry"  # a failed attempt, later once more
    HAND_BACK = "hand_back"  # the worker stops; counts no attempt
    CONTINUE = "continue"  # checkpointed before the function's time limit; counts no attempt
    CANCEL = "cancel"
    RESTART = "restart"  # a user asks for a new run of a finished job


_PENDING, _PROCESSING = JobStatus.PENDING, JobStatus.PROCESSING
FINAL = frozenset({JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED})
ACTIVE = frozenset({_PENDING, _PROCESSING})

TABLE: Mapping[Move, tuple[frozenset[JobStatus], JobStatus]] = {
    Move.CLAIM: (ACTIVE, _PROCESSING),
    Move.COMPLETE: (frozenset({_PROCESSING}), JobStatus.COMPLETED),
    Move.FAIL: (frozenset({_PROCESSING}), JobStatus.FAILED),
    Move.RETRY: (frozenset({_PROCESSING}), _PENDING),
    Move.HAND_BACK: (frozenset({_PROCESSING}), _PENDING),
    Move.CONTINUE: (frozenset({_PROCESSING}), _PENDING),
    Move.CANCEL: (ACTIVE, JobStatus.CANCELLED),
    Move.RESTART: (FINAL, _PENDING),
}


def sources(move: Move) -> list[str]:
    """The states a move may start from, as the store filters for them."""
    return sorted(TABLE[move][0])


def target(move: Move) -> str:
    return TABLE[move][1].value


class BatchStatus(StrEnum):
    """States of a batch, always derived from its members."""

    PENDING = "pending"  # nothing has started
    PROCESSING = "processing"
    COMPLETED = "completed"  # all done, none failed
    PARTIAL = "partial"  # some done, some failed or cancelled
    FAILED = "failed"  # none done
    CANCELLED = "cancelled"  # all cancelled


def batch_status(counts: Mapping[str, int]) -> BatchStatus:
    """From the number of members in each state."""
    total = sum(counts.values())
    pending, processing, completed, failed, cancelled = (counts.get(status, 0) for status in JobStatus)
    if pending + processing:
        return BatchStatus.PENDING if pending == total else BatchStatus.PROCESSING
    if completed == total:
        return BatchStatus.COMPLETED
    if completed:
        return BatchStatus.PARTIAL
    return BatchStatus.FAILED if failed else BatchStatus.CANCELLED
