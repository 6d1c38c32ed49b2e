"""How far a document is, in the words of the first clients: `processing_pages:<i>/<n>`, 10 to 90 per cent."""

from __future__ import annotations

from common.processing.base import Progress

FIRST_PERCENT, LAST_PERCENT = 10.0, 90.0


class PageProgress:
    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def start_page(self, done: int) -> None:
        self._done = done
        self._report("")

    def still_waiting(self) -> None:
        """A model may think for minutes: that is no standstill."""
        self._report("waiting for the model")

    def _report(self, message: str) -> None:
        done, total = self._done, self._total
        percent = FIRST_PERCENT + (LAST_PERCENT - FIRST_PERCENT) * done / total
        self._progress.report(
            f"processing_pages:{done + 1}/{total}", percent, message, done=done, total=total
        )
