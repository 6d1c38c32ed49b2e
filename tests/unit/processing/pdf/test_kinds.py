"""Whole documents of many kinds: every heading is found, nothing else is one, and tables are whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from common.processing.pdf.document import open_document
from tests.unit.processing.pdf.writer import Page, write_pdf

LEFT = 60.0
SENTENCES = (
    "The committee has examined the results of the previous year and will publish a list of measures.",
    "It depends on public transport in rural areas, since 2019 at least.",
)
COLUMNS = (LEFT, 200.0, 340.0)
ROWS = (("Porto", "12", "3.5"), ("Lyon", "480", "0.7"), ("Oslo", "", ""), ("Vienna", "77", "12.9"))


class Sheet(Page):
    """A page that is written from top to bottom."""

    y = 60.0

    def put(self, *texts: str, size: float = 10, font: str = "regular", gap: float = 10) -> Sheet:
        self.y += gap
        for text in texts:
            self.y += 1.2 * size
            self.text(LEFT, self.y, text, size=size, font=font)
        return self

    def prose(self, *, size: float = 10) -> Sheet:
        return self.put(*SENTENCES, size=size)

    def row(
        self, cells: Sequence[str], *, font: str = "regular", shaded: bool = False, ruled: bool = False
    ) -> Sheet:
        top = self.y
        if shaded:
            self.area(LEFT - 4, top + 2, 460, top + 18, gray=0.9)
        for x, cell in zip(COLUMNS, cells, strict=True):
            if cell:
                self.text(x, top + 14, cell, font=font)
        self.y = top + 16
        if ruled:
            self.line(LEFT - 4, top + 18, 460, top + 18)
        return self


def chapters(sheet: Sheet, *titles: str, size: float, font: str) -> Sheet:
    for title in titles:
        sheet.put(title, size=size, font=font, gap=16).prose()
    return sheet


def markdown(folder: Path, *pages: Page) -> str:
    with open_document(write_pdf(folder / "a.pdf", *pages), max_pages=10) as document:
        return document.markdown(list(document.pages()))


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("size", "font"),
    [(14, "regular"), (14, "bold"), (10, "bold"), (10, "italic"), (9, "bold"), (11, "italic")],
)
def test_headings_of_every_style_are_found(tmp_path: Path, size: float, font: str) -> None:
    sheet = Sheet().put("A Report on Water", size=20, font="bold").prose()
    chapters(sheet, "Scope", "Terms and Definitions", "Results", size=size, font=font)
    expected = ["A Report on Water", "Scope", "Terms and Definitions", "Results"]
    assert headings(markdown(tmp_path, sheet)) == expected


def test_headings_in_capitals_are_found(tmp_path: Path) -> None:
    sheet = Sheet().put("A Report on Water", size=20).prose()
    chapters(sheet, "SCOPE", "TERMS AND DEFINITIONS", size=10, font="regular")
    assert headings(markdown(tmp_path, sheet)) == ["A Report on Water", "SCOPE", "TERMS AND DEFINITIONS"]


def test_authors_contents_captions_and_lead_ins_are_no_headings(tmp_path: Path) -> None:
    first = Sheet().put("A Report on Water", size=20).put("Anna Keller", size=12).put("March 2024", size=12)
    first.put("Contents", size=14, font="bold")
    for number, entry in enumerate(("1 Scope", "2 Terms", "3 Results"), start=2):
        first.put(f"{entry} {number}", font="bold", gap=2)
    second = Sheet()
    chapters(second, "1 Scope", "2 Terms", "3 Results", size=14, font="bold")
    second.put("Table 1: Stations", font="bold").put("Note: this is a whole sentence.", font="bold")
    expected = ["A Report on Water", "Contents", "1 Scope", "2 Terms", "3 Results"]
    assert headings(markdown(tmp_path, first, second)) == expected


@pytest.mark.parametrize("kind", ["ruled", "zebra"])
def test_a_table_has_its_head_and_all_its_rows_and_ends_at_a_heading(tmp_path: Path, kind: str) -> None:
    sheet = Sheet().put("Stations", size=14, font="bold").prose().put("")
    sheet.row(("Name", "Count", "Share"), font="bold", ruled=kind == "ruled")
    rows = ROWS if kind == "ruled" else [row for row in ROWS if row[1]]
    for number, row in enumerate(rows):
        sheet.row(row, shaded=kind == "zebra" and number % 2 == 0, ruled=kind == "ruled")
    chapters(sheet, "Costs", "Staff", size=14, font="bold")
    text = markdown(tmp_path, sheet)
    assert headings(text) == ["Stations", "Costs", "Staff"]
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"
    ]
    assert [row for row in cells if row[0] != "---"] == [["Name", "Count", "Share"], *map(list, rows)]


def test_two_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    page = Page()
    for column, x in enumerate((60, 320)):
        for number in range(12):
            page.text(x, 100 + 12 * number, f"column {column} line {number} of plain running text")
    text = markdown(tmp_path, page)
    places = [text.index(f"column {column} line {number} ") for column in (0, 1) for number in range(12)]
    assert places == sorted(places)
