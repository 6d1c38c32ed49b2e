"""Python packages in an environment beside ours, made once and kept in .cache: their pins are not ours."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".cache"
INSTALL_SECONDS = 600.0


class InstallationFailed(Exception):
    """Raised when the packages are not there and cannot be had."""


def own_environment(name: str, packages: Sequence[str], *, options: Sequence[str] = ()) -> Path:
    """Its Python. Two runs at one time wait for each other; `name` changes with the versions."""
    folder = FOLDER / name
    python, complete = folder / "venv" / "bin" / "python", folder / "complete"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            uv = [sys.executable, "-m", "uv"]
            _run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder / "venv")])
            _run([*uv, "pip", "install", "--quiet", "--python", str(python), *options, *packages])
            complete.touch()
    return python


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise InstallationFailed(f"the installation took more than {INSTALL_SECONDS:.0f} seconds") from None
    except subprocess.CalledProcessError as error:
        raise InstallationFailed(error.stderr.decode(errors="replace").strip()[-500:]) from None
