"""How long a caller waits in all, cut into the long polls that the service offers."""

from __future__ import annotations

import math
import time

from common.client.answers import WaitTimeout
from common.client.calls import WAIT_SECONDS


class Patience:
    """Without `seconds` it never ends."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._ends = None if seconds is None else time.monotonic() + seconds

    def next_wait(self) -> int:
        """Whole seconds for the next call; a WaitTimeout when none are left."""
        if self._ends is None:
            return WAIT_SECONDS
        left = self._ends - time.monotonic()
        if left <= 0:
            raise WaitTimeout(f"Not finished after {self._seconds:g} seconds; it goes on in the background.")
        return min(WAIT_SECONDS, math.ceil(left))
