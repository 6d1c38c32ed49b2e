"""`python -m tests.bench [--full] [--only PART]`: measure, and write the figures, the page and its pictures.

A quick run leaves them in out/bench. A full run writes docs/performance.md with its pictures, and keeps its
figures in bench.json beside this file; with `--only` it measures these parts anew and keeps the others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
import traceback
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.bench.figures import Part
from tests.bench.page import page
from tests.bench.plots import draw
from tests.bench.processes import ROOT

# In the order of the page; each module has `measure` and the sizes QUICK and FULL.
PARTS = ("documents", "queues", "api", "overhead", "store", "growth", "start", "memory")
QUICK_FOLDER = ROOT / "out" / "bench"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="all sizes; takes most of an hour")
    parser.add_argument("--only", action="append", choices=PARTS, help="these parts alone")
    options = parser.parse_args()
    kept = Path(__file__).parent if options.full else QUICK_FOLDER
    began = time.monotonic()
    parts = known_parts(kept / "bench.json") if options.only else {}
    parts |= {name: _measured(name, full=options.full) for name in PARTS if name in (options.only or PARTS)}
    figures = {
        "full": options.full,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - began),
        "machine": {
            "cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version(),
        },
        "parts": {name: asdict(parts[name]) for name in PARTS if name in parts},
    }  # fmt: skip
    write(
        figures,
        [parts[name] for name in PARTS if name in parts],
        kept,
        ROOT / "docs" if options.full else kept,
    )
    return 0 if all(part.tables for part in parts.values()) else 1


def known_parts(file: Path) -> dict[str, Part]:
    kept = json.loads(file.read_text("utf-8"))["parts"] if file.is_file() else {}
    return {name: Part.from_dict(part) for name, part in kept.items()}


def write(figures: dict[str, Any], parts: list[Part], kept: Path, docs: Path) -> None:
    pictures = docs / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    (kept / "bench.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (docs / "performance.md").write_text(page(figures, parts), "utf-8")
    for part in parts:
        for table in part.tables:
            draw(table, pictures)
    print(f"{kept / 'bench.json'}\n{docs / 'performance.md'}")


def _measured(name: str, *, full: bool) -> Part:
    """A part that fails is told as such, and the others go on."""
    module = import_module(f"tests.bench.{name}")
    print(f"{name} ...", file=sys.stderr, flush=True)
    began = time.monotonic()
    try:
        part: Part = module.measure(module.FULL if full else module.QUICK)
    except Exception as error:  # noqa: BLE001 - an hour of other figures must not be lost
        traceback.print_exc()
        part = Part(name=name.capitalize(), left_out=f"it failed: {type(error).__name__}")
    for target in part.targets:
        print(
            f"  {'held  ' if target.held else 'MISSED'} {target.what}: {target.found} ({target.wanted})",
            file=sys.stderr,
        )
    print(f"  {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return part


if __name__ == "__main__":
    sys.exit(main())
