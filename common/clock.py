"""Time and ids, so that they come in from outside and tests need neither sleep nor patching."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
NewId = Callable[[str], str]


def utc_now() -> datetime:
    """Cut to milliseconds, which is what MongoDB keeps."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


def new_id(prefix: str) -> str:
    """Sorted by time, so that indexes grow at their end; 80 random bits, so that nobody guesses one."""
    return first_id(prefix, utc_now()) + secrets.token_hex(10)


def first_id(prefix: str, moment: datetime) -> str:
    """What every id made at that time or later is greater than."""
    milliseconds = max(round(moment.timestamp() * 1000), 0)
    return f"{prefix}-{milliseconds:012x}"
