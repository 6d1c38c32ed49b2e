"""`python -m tests.faults --jobs 500 --faults 100`: prints a table; 1 is returned on any violation."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.faults.harness import RECOVERY_SECONDS, Report, run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=500)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None, help="to repeat a run")
    parser.add_argument("--pause", type=float, default=0.7, help="mean seconds between two faults")
    parser.add_argument("--home", type=Path, default=None, help="where logs and data stay after the run")
    chosen = parser.parse_args()
    seed = random.randrange(10**6) if chosen.seed is None else chosen.seed
    with tempfile.TemporaryDirectory(prefix="faults-") as temporary:
        home = (chosen.home or Path(temporary)).resolve()
        report = run(home, jobs=chosen.jobs, faults=chosen.faults, seed=seed, pause=chosen.pause)
    show(report, seed)
    return 1 if report.verdict.violations else 0


def show(report: Report, seed: int) -> None:
    verdict = report.verdict
    slowest = report.recoveries[-1] if report.recoveries else 0.0
    median = report.recoveries[len(report.recoveries) // 2] if report.recoveries else 0.0
    for name, count in sorted(report.injected.items(), key=lambda item: -item[1]):
        print(f"  {count:>4}  {name}")
    rows = {
        "faults injected": report.faults,
        "jobs": report.jobs,
        "lost": len(verdict.lost),
        "duplicated": len(verdict.duplicated),
        "stuck": len(verdict.stuck),
        "wrong or unexpected": len(verdict.wrong) + len(verdict.unexpected),
        "seconds to recover, median": round(median, 1),
        f"seconds to recover, slowest (goal {RECOVERY_SECONDS:.0f})": round(slowest, 1),
        "seconds until quiet after the last fault": round(report.quiet_seconds, 1),
        "seconds in all": round(report.seconds, 1),
    }
    for name, value in rows.items():
        print(f"{name:<44} {value:>8}")
    print(f"ends: {dict(verdict.statuses)}, seed {seed}")
    for name in ("lost", "unexpected", "stuck", "duplicated", "wrong"):
        for subject in getattr(verdict, name)[:20]:
            print(f"  {name}: {subject}")


if __name__ == "__main__":
    sys.exit(main())
