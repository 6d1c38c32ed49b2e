"""What a part of the benchmark gives back: tables, curves of them, and the promises they are held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A picture of a table: bars over names, or lines over growing numbers on two logarithmic scales."""

    file: str
    over: str
    values: tuple[str, ...]
    unit: str
    lines: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    name: str
    head: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    note: str = ""
    curve: Curve | None = None

    def column(self, name: str) -> list[Cell]:
        place = self.head.index(name)
        return [row[place] for row in self.rows]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A ratio or bound inside one run: what was promised, what was found."""

    what: str
    wanted: str
    found: str
    held: bool


@dataclass(frozen=True, kw_only=True)
class Part:
    name: str
    tables: tuple[Table, ...] = ()
    targets: tuple[Target, ...] = ()
    left_out: str = ""  # why there is nothing, or less than asked for

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Part:
        """As `asdict` has written it."""
        tables = [
            Table(
                **table | {"curve": table["curve"] and Curve(**table["curve"]), "head": tuple(table["head"])}
            )
            for table in kept["tables"]
        ]
        targets = [Target(**target) for target in kept["targets"]]
        return cls(name=kept["name"], tables=tuple(tables), targets=tuple(targets), left_out=kept["left_out"])


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Milliseconds of many calls."""

    values: list[float] = field(repr=False)

    @property
    def p50(self) -> float:
        return round(median(self.values), 2)

    @property
    def p99(self) -> float:
        ordered = sorted(self.values)
        return round(ordered[min(int(0.99 * len(ordered)), len(ordered) - 1)], 2)


def at_most(what: str, found: float, bound: float, unit: str = "×") -> Target:
    return Target(what=what, wanted=f"≤ {bound:g} {unit}", found=f"{found:.2f} {unit}", held=found <= bound)


def at_least(what: str, found: float, bound: float, unit: str = "×") -> Target:
    return Target(what=what, wanted=f"≥ {bound:g} {unit}", found=f"{found:.2f} {unit}", held=found >= bound)


def numbers(cells: Sequence[Any]) -> list[float]:
    return [float(cell) for cell in cells if isinstance(cell, int | float)]
