"""The numbers behind a chart of an OOXML document, as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def chart_title(chart: _Element) -> str:
    title = chart.find(f".//{_C}chart/{_C}title")
    return "" if title is None else "".join(text.text or "" for text in title.iter(f"{_A}t")).strip()


def chart_rows(chart: _Element) -> list[list[str]]:
    """One row per category, one column per series; the values are those cached in the file."""
    series = list(chart.iter(f"{_C}ser"))
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    names: list[str] = []
    for number, one in enumerate(series, 1):
        categories |= _points(one, "cat", "xVal")
        columns.append(_points(one, "val", "yVal"))
        names.append(next(iter(_points(one, "tx").values()), f"Series {number}"))
    places = sorted(set(categories).union(*columns)) if columns else []
    rows = [[categories.get(place, ""), *[column.get(place, "") for column in columns]] for place in places]
    return [["", *names], *rows] if rows else []


def _points(series: _Element, *tags: str) -> dict[int, str]:
    points: dict[int, str] = {}
    for tag in tags:
        holder = series.find(f"{_C}{tag}")
        if holder is None:
            continue
        for point in holder.iter(f"{_C}pt"):
            place, value = point.get("idx", ""), point.findtext(f"{_C}v")
            if place.isdecimal() and value is not None:
                points[int(place)] = value
    return points
