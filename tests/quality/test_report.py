"""The page of figures says what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.quality.report import EngineRow, page, readme_rows, score_all, summary

README = """
| engine | licence | reading | tables | headings | levels | whole | ICDAR | all | pages per CPU-s | × |
|---|---|---|---|---|---|---|---|---|---|---|
| peer 1.0, plain ‡ | AGPL | 0.901 | 0.477 | 0.000 | – | 0.772 | 0.921 | 0.842 | 2.3 | 0.006 |
"""


def figures(value: float | None) -> dict[str, float | None]:
    return dict.fromkeys(("reading", "tables", "headings", "levels", "overall"), value)


def test_metrics_are_means_of_whole_documents_and_groups_have_their_own() -> None:
    found = summary({"a": figures(0.5), "b": figures(None), "icdar_c": figures(1.0)})
    assert (found["reading"], found["whole documents"], found["ICDAR tables"], found["all"]) == (
        0.5,
        0.5,
        1.0,
        0.75,
    )


def test_a_missing_answer_is_scored_as_empty(tmp_path: Path) -> None:
    truth, made = tmp_path / "truth", tmp_path / "made"
    truth.mkdir()
    made.mkdir()
    (truth / "a.md").write_text("text")
    (truth / "b.md").write_text("text")
    (made / "a.md").write_text("text")
    found = score_all(lambda wanted, got: {"overall": float(wanted == got)}, truth, made)
    assert found == {"a": {"overall": 1.0}, "b": {"overall": 0.0}}


def test_the_rows_of_the_readme_are_read() -> None:
    (row,) = readme_rows(README)
    assert (row.engine, row.licence, row.figures["levels"]) == ("peer 1.0, plain", "AGPL", None)
    assert (row.figures["all"], row.pages_per_second) == pytest.approx((0.842, 2.3))


def test_the_best_engine_stands_first_and_every_row_names_its_source() -> None:
    better = dict.fromkeys(
        ("reading", "tables", "headings", "levels", "whole documents", "ICDAR tables", "all"), 0.9
    )
    row = EngineRow("ours 1", "Apache-2.0", better, 88.4)
    shown = page([*readme_rows(README), row], documents=3, pages_note="note").splitlines()
    rows = [line for line in shown if line.startswith(("| ours", "| peer"))]
    assert rows[0].startswith("| ours 1 | Apache-2.0 | 0.900") and rows[0].endswith("| 88 | this run |")
    assert rows[1].endswith("| 2.3 | README of the set |")
