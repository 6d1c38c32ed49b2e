"""Scores of a run, and the page that shows them."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

Figures = Mapping[str, float | None]
METRICS = ("reading", "tables", "headings", "levels")
COLUMNS = ("whole documents", "ICDAR tables", "all")
README_ROW = re.compile(r"^\| (?P<cells>.+) \|$", re.MULTILINE)
TABLES_ONLY = "icdar_"  # how the documents are named whose truth is their tables alone


@dataclass(frozen=True)
class EngineRow:
    """One line of the table; `source` says where its figures come from."""

    engine: str
    licence: str
    figures: Figures
    pages_per_second: float
    source: str = "this run"


def load_scorer(folder: Path) -> Callable[[str, str], Figures]:
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"no scorer at {folder / 'score.py'}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    scorer: Callable[[str, str], Figures] = module.score
    return scorer


def score_all(score: Callable[[str, str], Figures], truth: Path, made: Path) -> dict[str, Figures]:
    """Figures by document; a missing answer counts as an empty one."""
    found: dict[str, Figures] = {}
    for file in sorted(truth.glob("*.md")):
        answer = made / file.name
        text = answer.read_text(encoding="utf-8") if answer.is_file() else ""
        found[file.stem] = score(file.read_text(encoding="utf-8"), text)
    return found


def summary(scores: Mapping[str, Figures]) -> dict[str, float | None]:
    """Means: the metrics over whole documents, and overall for each group."""
    whole = [figures for name, figures in scores.items() if not name.startswith(TABLES_ONLY)]
    icdar = [figures for name, figures in scores.items() if name.startswith(TABLES_ONLY)]
    means = {metric: _mean([figures[metric] for figures in whole]) for metric in METRICS}
    groups = zip(COLUMNS, (whole, icdar, list(scores.values())), strict=True)
    return means | {name: _mean([figures["overall"] for figures in group]) for name, group in groups}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def readme_rows(readme: str) -> list[EngineRow]:
    """The peers' rows that the set itself tells."""
    rows = []
    for match in README_ROW.finditer(readme):
        cells = [cell.strip() for cell in match["cells"].split(" | ")]
        if len(cells) < 10 or not re.fullmatch(r"[\d.]+", cells[2]):
            continue
        values = [float(cell) if re.fullmatch(r"[\d.]+", cell) else None for cell in cells[2:10]]
        figures = dict(zip((*METRICS, *COLUMNS), values, strict=False))
        name = cells[0].replace("‡", "").strip()
        rows.append(EngineRow(name, cells[1], figures, values[7] or 0.0, "README of the set"))
    return rows


def page(rows: Sequence[EngineRow], *, documents: int, pages_note: str) -> str:
    head = (
        "engine",
        "licence",
        *METRICS,
        "whole documents",
        "ICDAR tables",
        "all",
        "pages per CPU-second",
        "from",
    )
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in sorted(rows, key=lambda row: -(row.figures["all"] or 0.0)):
        shown = [
            "–" if (value := row.figures[name]) is None else f"{value:.3f}" for name in (*METRICS, *COLUMNS)
        ]
        speed = f"{row.pages_per_second:.0f}" if row.pages_per_second >= 10 else f"{row.pages_per_second:.1f}"
        lines.append(f"| {' | '.join((row.engine, row.licence, *shown, speed, row.source))} |")
    table = "\n".join(lines)
    return f"""# Quality: PDF to Markdown

Made by `make quality` (`python -m tests.quality`): every engine turns the same {documents} PDFs into
Markdown, one scorer judges them all, each figure lies between 0 and 1.

{table}

- *reading* is the likeness of the plain text, *tables* that of the cells, *headings* the F1 score of the
  heading texts, *levels* how often two neighbouring headings step the same way: means over the whole
  documents. *whole documents*, *ICDAR tables* and *all* are means of each document's overall figure.
- {pages_note}
- Rows "this run" come from one run on one machine; rows "README of the set" are figures that the quality set
  tells of engines that are not installed here. An AGPL engine is a yardstick and never a dependency.
- A third of the set was held out while the engine was made and looked at only at the end of a step. Later
  steps were made on generated documents and on real ones with bookmarks, and their scores here, all
  documents included, were compared before and after each.
"""
