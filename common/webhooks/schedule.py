"""When a delivery is tried again: the specification's schedule, with jitter."""

from __future__ import annotations

from datetime import datetime, timedelta

MINUTE, HOUR = 60.0, 3_600.0
# Before attempt 1, 2, 3 … after the one before it failed: about three days in all.
DELAYS_SECONDS = (0.0, 5.0, 5 * MINUTE, 30 * MINUTE, *(hours * HOUR for hours in (2, 5, 10, 14, 20, 24)))
MAX_ATTEMPTS = len(DELAYS_SECONDS)
_JITTER = 0.1  # up to a tenth later, so that what failed together does not return together
_MAX_WAIT_SECONDS = 24 * HOUR


def next_attempt_at(
    *, attempts_made: int, now: datetime, jitter: float, retry_after: float | None = None
) -> datetime | None:
    """None after the last attempt. `jitter` is a random number from 0 to 1.

    A receiver may ask for more time than the schedule gives it, up to a day, never for less.
    """
    if attempts_made >= MAX_ATTEMPTS:
        return None
    planned = DELAYS_SECONDS[attempts_made] * (1 + _JITTER * jitter)
    asked = min(retry_after or 0.0, _MAX_WAIT_SECONDS)
    return now + timedelta(seconds=max(planned, asked))
