"""`python -m tests.quality`: compare our engine with its peers and write docs/quality.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.quality.engines import ENGINES
from tests.quality.measure import measure_apart
from tests.quality.report import EngineRow, load_scorer, page, readme_rows, score_all, summary
from tests.unit.shared_files import SHARED

ROOT = Path(__file__).resolve().parents[2]
PAGES_NOTE = (
    "*pages per CPU-second* is processor time of one process over all pages of the set, the fastest of up\n"
    "  to three rounds, imports not counted."
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.quality", description=__doc__)
    parser.add_argument("--set", type=Path, default=SHARED / "quality", help="the quality set")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "quality.md", help="the page to write")
    parser.add_argument(
        "--engine", action="append", choices=list(ENGINES), help="only these; default: all installed"
    )
    options = parser.parse_args()
    if not (options.set / "score.py").is_file():
        print(f"No quality set at {options.set}: expected score.py, pdf/ and truth/ there.", file=sys.stderr)
        return 2
    rows = run(options.set, options.engine or list(ENGINES))
    measured = {row.engine.split()[0] for row in rows}
    rows += [
        row for row in readme_rows((options.set / "README.md").read_text("utf-8")) if not names(row, measured)
    ]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    documents = len(list((options.set / "pdf").glob("*.pdf")))
    options.out.write_text(page(rows, documents=documents, pages_note=PAGES_NOTE), encoding="utf-8")
    print(options.out.read_text(encoding="utf-8"))
    return 0


def names(row: EngineRow, measured: set[str]) -> bool:
    """Whether the row tells of an engine that was run, in the same way."""
    return row.engine.split()[0] in measured and "defaults" not in row.engine


def run(folder: Path, names: list[str]) -> list[EngineRow]:
    score = load_scorer(folder)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            engine = ENGINES[name]
            version = engine.version()
            if version is None:
                print(f"{name}: not installed, left out", file=sys.stderr)
                continue
            made = Path(scratch) / name
            speed = measure_apart(name, folder / "pdf", made)
            figures = summary(score_all(score, folder / "truth", made))
            rows.append(EngineRow(f"{name} {version}", engine.licence, figures, speed))
    return rows


if __name__ == "__main__":
    sys.exit(main())
