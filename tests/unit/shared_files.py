"""Finds the folder of shared fixtures beside the checkout; tests that need it skip where it is absent."""

from __future__ import annotations

from pathlib import Path

import pytest


def _find() -> Path | None:
    candidates = (parent / "shared" for parent in Path(__file__).resolve().parents)
    return next((folder for folder in candidates if (folder / "fixtures").is_dir()), None)


SHARED = _find() or Path("shared-fixtures-are-absent")
FIXTURES = SHARED / "fixtures"
NASTY = SHARED / "quality" / "nasty"
needs_shared = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
