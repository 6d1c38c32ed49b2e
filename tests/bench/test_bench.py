"""The harness works, on sizes so small that its figures mean nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.bench import api, figures, overhead, start, store
from tests.bench.__main__ import known_parts
from tests.bench.figures import Curve, Part, Table, at_least, at_most
from tests.bench.page import page
from tests.bench.plots import draw
from tests.bench.processes import run_apart

FIGURES = {
    "full": True,
    "at": "2026-01-01",
    "machine": {"cores": 2, "processor": "x86_64", "python": "3.11"},
}


def a_part() -> Part:
    curve = Curve(file="a.png", over="size", values=("ms",), unit="ms", lines=True)
    table = Table(
        name="Growing", head=("size", "ms"), rows=[(1, 0.5), (1_000, 0.75)], note="A note.", curve=curve
    )
    return Part(
        name="A part", tables=(table,), targets=(at_most("growth", 1.5, 2.0), at_least("pace", 0.3, 0.4))
    )


def test_the_page_tells_every_table_and_says_which_promise_was_missed() -> None:
    shown = page(FIGURES, [a_part()])
    assert "| growth | ≤ 2 × | 1.50 × | held |" in shown
    assert "| pace | ≥ 0.4 × | 0.30 × | **missed** |" in shown
    assert "| 1,000 | 0.75 |" in shown and "pictures/a.png" in shown


def test_a_picture_is_small(tmp_path: Path) -> None:
    draw(a_part().tables[0], tmp_path)
    assert (tmp_path / "a.png").stat().st_size < 60_000


def test_a_part_is_kept_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "bench.json").write_text(json.dumps({"parts": {"store": asdict(a_part())}}))
    (read,) = known_parts(tmp_path / "bench.json").values()
    assert page(FIGURES, [read]) == page(FIGURES, [a_part()])


def test_a_spread_knows_its_middle_and_its_end() -> None:
    spread = figures.Spread(values=[float(value) for value in range(1, 101)])
    assert (spread.p50, spread.p99) == (50.5, 100.0)


@pytest.mark.parametrize(
    "measured",
    [
        pytest.param(lambda: store.measure(store.Sizes(stored=(50, 100), rounds=2)), id="store"),
        pytest.param(lambda: api.measure(api.Sizes(rounds=1, seconds=0.2, waiters=5)), id="api"),
        pytest.param(lambda: overhead.measure(overhead.Sizes(rounds=1, pages=2)), id="overhead"),
        pytest.param(lambda: start.measure(start.Sizes(rounds=1, functions=("status",))), id="start"),
    ],
)
def test_a_part_gives_tables_that_can_be_kept(measured: object) -> None:
    part: Part = measured()  # type: ignore[operator]
    assert part.tables and all(len(row) == len(table.head) for table in part.tables for row in table.rows)
    json.dumps(asdict(part))


def test_growing_work_is_measured_apart() -> None:
    assert run_apart("tests.bench.growth", "archive", "2")["memory"] > 0
    assert run_apart("tests.bench.growth", "pages", "2")["cpu"] > 0
