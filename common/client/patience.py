"""How long a caller waits in all, cut into the long polls that the service offers."""

from __future__ import annotations

import math
import time

from common.client.answers import WaitTimeout
from common.client.calls import WAIT_SECONDS


class Patience:
    """Without `seconds` it never ends."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = math.inf if seconds is None else seconds
        self._ends = time.monotonic() + self._seconds

    def next_wait(self) -> int:
        """Whole seconds for the next call; a WaitTimeout when none are left."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise WaitTimeout(self._seconds)
        return math.ceil(min(WAIT_SECONDS, left))
