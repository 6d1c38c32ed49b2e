"""Makes the test job types known: to this process, or by PYTHONPATH to those it starts."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common.processing.registry import job_types

FOLDER = Path(__file__).parents[1] / "job_types"


@contextmanager
def known_here() -> Iterator[None]:
    sys.path.insert(0, str(FOLDER))
    importlib.invalidate_caches()
    job_types.cache_clear()
    try:
        yield
    finally:
        sys.path.remove(str(FOLDER))
        job_types.cache_clear()
