"""docs/performance.md, from the figures of one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.bench.figures import Cell, Part, Table

HELD, MISSED = "held", "**missed**"


def page(figures: dict[str, Any], parts: Sequence[Part]) -> str:
    machine, way = figures["machine"], "bench-full" if figures["full"] else "bench"
    lines = [
        "# Performance",
        "",
        f"Made by `make {way}` (`python -m tests.bench{' --full' if figures['full'] else ''}`) on "
        f"{figures['at'][:10]}, on {machine['cores']} cores ({machine['processor']}, Python "
        f"{machine['python']}) that others used at the same time. Read the figures as ratios inside one run: "
        "both sides of a ratio met the same neighbours, and a figure alone says more about the machine than "
        "about the program.",
        "",
        "## What was promised, what was found",
        "",
        "| | promised | found | |",
        "|---|---|---|---|",
        *(
            f"| {target.what} | {target.wanted} | {target.found} | {HELD if target.held else MISSED} |"
            for part in parts
            for target in part.targets
        ),
        "",
    ]
    for part in parts:
        lines += _section(part)
    return "\n".join(lines)


def _section(part: Part) -> Iterator[str]:
    yield from (f"## {part.name}", "")
    for table in part.tables:
        yield from _table(table)
    if part.left_out:
        yield from (f"Left out: {part.left_out}.", "")


def _table(table: Table) -> Iterator[str]:
    yield from (f"### {table.name}", "")
    yield f"| {' | '.join(table.head)} |"
    yield "|---" * len(table.head) + "|"
    yield from (f"| {' | '.join(_shown(cell) for cell in row)} |" for row in table.rows)
    yield ""
    if table.note:
        yield from (table.note, "")
    if table.curve:
        yield from (f"![{table.name}](pictures/{table.curve.file})", "")


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if isinstance(cell, int) or abs(cell) >= 1_000 else f"{cell:g}"
