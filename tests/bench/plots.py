"""The pictures of docs/performance.md: bars over names, or lines over growing numbers."""

from __future__ import annotations

from pathlib import Path

from tests.bench.figures import Curve, Table

INCHES = (7.0, 3.6)
DOTS_PER_INCH = 80  # keeps a picture below 60 kB


def draw(table: Table, folder: Path) -> None:
    if table.curve is None:
        return
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
    (_lines if table.curve.lines else _bars)(axes, table, table.curve)
    axes.set_title(table.name, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / table.curve.file, metadata={"Software": None})
    pyplot.close(figure)


def _lines(axes: object, table: Table, curve: Curve) -> None:
    for name in curve.values:
        axes.plot(table.column(curve.over), table.column(name), marker="o", markersize=3, label=name)  # type: ignore[attr-defined]
    axes.set(xscale="log", yscale="log", xlabel=curve.over, ylabel=curve.unit)  # type: ignore[attr-defined]
    axes.legend(fontsize=7, ncols=2)  # type: ignore[attr-defined]


def _bars(axes: object, table: Table, curve: Curve) -> None:
    """A second column tells rows of the same name apart."""
    names = [str(name) for name in table.column(curve.over)]
    if len(set(names)) < len(names):
        names = [f"{row[0]}, {row[1]}" for row in table.rows]
    values = [value if isinstance(value, int | float) else 0 for value in table.column(curve.values[0])]
    bars = axes.barh(names[::-1], values[::-1], color="#4477aa")  # type: ignore[attr-defined]
    axes.bar_label(bars, fontsize=7, padding=2, fmt="%g")  # type: ignore[attr-defined]
    axes.tick_params(axis="y", labelsize=8)  # type: ignore[attr-defined]
    axes.set_xlabel(curve.unit)  # type: ignore[attr-defined]
