"""One child of the supervisor: started, watched, restarted with backoff, stopped by its process id."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from common import logs

PR_SET_PDEATHSIG = 1
FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 30.0
STEADY_SECONDS = 30.0  # after this long a fall is a new one, not a loop
_libc = ctypes.CDLL(None)


def _end_with_supervisor() -> None:
    """If the supervisor is killed, its children end too instead of holding the data."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Process:
    """A named command and its log file."""

    def __init__(self, name: str, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.name = name
        self._argv = list(argv)
        self._environment = dict(environment)
        self._log = log
        self._child: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._backoff = FIRST_BACKOFF_SECONDS
        self._restart_at = 0.0

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def start(self) -> None:
        with self._log.open("ab") as output:
            self._child = subprocess.Popen(
                self._argv,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=_end_with_supervisor,  # safe: the supervisor has one thread
                start_new_session=True,
            )
        self._started = time.monotonic()

    def check(self) -> bool:
        """Starts it again when it has ended and its pause is over; True when it was started."""
        if self._child is None or self._child.poll() is None:
            return False
        now = time.monotonic()
        if not self._restart_at:
            self._backoff = FIRST_BACKOFF_SECONDS if now - self._started > STEADY_SECONDS else self._backoff
            self._restart_at = now + self._backoff
            self._backoff = min(self._backoff * 2, LONGEST_BACKOFF_SECONDS)
            logs.warning("process ended", name=self.name, code=self._child.returncode)
        if now < self._restart_at:
            return False
        self._restart_at = 0.0
        self.start()
        return True

    def has_ended(self) -> bool:
        return self._child is not None and self._child.poll() is not None

    def ask_to_stop(self) -> None:
        if self._child and self._child.poll() is None:
            self._child.send_signal(signal.SIGTERM)

    def wait_or_kill(self, seconds: float) -> None:
        if self._child is None:
            return
        try:
            self._child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
