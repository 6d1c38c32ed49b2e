"""Pinned versions install on every Python we promise, its first releases included (Debian 12 has 3.11.2)."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11.0", "3.12.0", "3.13.0")


def test_every_pin_fits_every_python_we_promise() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [SpecifierSet(project["requires-python"]).contains(one) for one in PYTHONS] == [True] * 3
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split())
    wanted = {name: needed for name in pins if (needed := _python_of(name, pins[name]))}
    assert len(wanted) > 100, "the packages of the pins are not installed"
    unfit = {name for name, needed in wanted.items() for one in PYTHONS if one not in SpecifierSet(needed)}
    assert unfit == set()


def _python_of(name: str, pinned: str) -> str | None:
    try:
        told = metadata(name)
    except PackageNotFoundError:  # of another platform, or of an extra that is not installed
        return None
    assert told["Version"] == pinned, f"{name}: pinned {pinned}, installed {told['Version']}"
    needed = told.json.get("requires_python")
    return str(needed) if needed else None
