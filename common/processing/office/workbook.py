"""Workbooks (.xlsx): one table per sheet, read cell by cell as they stand in the file.

Sheets are streamed and sparse: a used range of A1:XFD1048576 with one cell costs one cell.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from common.errors import UnsupportedFile
from common.processing.base import Warning
from common.processing.office import markdown
from common.processing.office.cell_format import CellFormats, read_formats
from common.processing.office.chart import chart_rows, chart_title
from common.processing.office.document import AssetWriter, OfficeDocument, Pictures
from common.processing.office.package import Package, Relationship, open_package
from common.processing.office.properties import core_properties

if TYPE_CHECKING:
    from lxml.etree import _Element

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_REFERENCE = re.compile(r"^([A-Z]{1,3})(\d{1,7})$")
# Far above what anybody reads as Markdown; about 1 GB of memory.
CELLS_LIMIT = 2_000_000


@dataclass
class _Sheet:
    """What was found on one sheet, by row and column."""

    budget: int
    cells: dict[int, dict[int, str]] = field(default_factory=dict)
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    drawing: str = ""
    complete: bool = True
    _row: int = 1
    _column: int = 0

    def add(self, reference: str, text: str) -> None:
        """A cell without a reference follows the one before it."""
        found = _REFERENCE.match(reference)
        self._row, self._column = (
            (int(found[2]), _column_number(found[1])) if found else (self._row, self._column + 1)
        )
        if not text:
            return
        if self.budget <= 0:
            self.complete = False
            return
        self.budget -= 1
        self.cells.setdefault(self._row, {})[self._column] = text

    def end_row(self, number: str) -> None:
        self._row = (int(number) if number.isdecimal() else self._row) + 1
        self._column = 0

    def link(self, reference: str, address: str) -> None:
        found = _REFERENCE.match(reference.split(":")[0])
        if found:
            self.links[int(found[2]), _column_number(found[1])] = address


def read_workbook(path: Path, *, write_asset: AssetWriter | None, unpacked_bytes: int) -> OfficeDocument:
    with open_package(path, unpacked_bytes=unpacked_bytes) as package:
        main = _main_part(package)
        links = package.relationships(main)
        workbook = package.xml(main)
        part_of = {link.kind: link.target for link in links.values()}
        strings = list(_shared_strings(package, part_of.get("sharedStrings", "")))
        styles = part_of.get("styles", "")
        formats = read_formats(package.xml(styles) if styles in package else None, workbook)
        pictures = Pictures(write_asset)
        sheets: dict[str, _Sheet] = {}
        budget = CELLS_LIMIT
        for name, part in _sheet_parts(workbook, links):
            if part in package:
                sheets[name] = _read_sheet(package, part, strings, formats, budget)
                budget = sheets[name].budget
        pages = tuple(_page(name, sheet, package, pictures) for name, sheet in sheets.items())
        properties = core_properties(package)
        return OfficeDocument(
            markdown=markdown.join(pages),
            pages=pages,
            title=properties["title"],
            assets=pictures.assets,
            metadata={"author": properties["author"], "pages": len(pages), "sheets": list(sheets)},
            warnings=(*_warnings(sheets), *pictures.warnings),
        )


def _sheet_parts(workbook: _Element, links: dict[str, Relationship]) -> Iterator[tuple[str, str]]:
    for number, entry in enumerate(workbook.iterfind(f"{S}sheets/{S}sheet"), 1):
        target = links.get(entry.get(f"{_R}id", ""))
        if target is not None and target.kind == "worksheet":
            yield entry.get("name", f"Sheet {number}"), target.target


def _warnings(sheets: dict[str, _Sheet]) -> Iterator[Warning]:
    for number, (name, sheet) in enumerate(sheets.items(), 1):
        if not sheet.complete:
            message = f"The sheet {name!r} was cut off: more than {CELLS_LIMIT} cells are filled."
            yield Warning(code="SHEET_TRUNCATED", message=message, page=number)


def _main_part(package: Package) -> str:
    for link in package.relationships("").values():
        if link.kind == "officeDocument":
            return link.target
    if "xl/workbook.xml" in package:
        return "xl/workbook.xml"
    raise UnsupportedFile("The workbook has no main part; it is damaged.")


def _page(name: str, sheet: _Sheet, package: Package, pictures: Pictures) -> str:
    rows = list(_rows(sheet))
    captions = list(takewhile(_is_caption, rows))
    blocks = [
        markdown.heading(2, markdown.escape(name)),
        *[markdown.paragraph("".join(row)) for row in captions],
        markdown.table(rows[len(captions) :]),
    ]
    if sheet.drawing:
        blocks.extend(_drawing(package, sheet.drawing, pictures))
    return markdown.join(blocks)


def _rows(sheet: _Sheet) -> Iterator[list[str]]:
    columns = sorted({column for row in sheet.cells.values() for column in row})
    for number in sorted(sheet.cells):
        row = sheet.cells[number]
        yield [_linked(row.get(column, ""), sheet.links.get((number, column))) for column in columns]


def _is_caption(row: list[str]) -> bool:
    """Sheets often start with a title or remarks in one cell, above the table itself."""
    return len(row) > 2 and sum(bool(cell) for cell in row) == 1


def _linked(text: str, link: str | None) -> str:
    return markdown.inline([markdown.Run(text=text, link=link)])


def _read_sheet(package: Package, part: str, strings: list[str], formats: CellFormats, budget: int) -> _Sheet:
    from lxml import etree

    sheet = _Sheet(budget=budget)
    relationships = package.relationships(part)
    try:
        with package.stream(part) as stream:
            for element in _elements(stream, f"{S}c", f"{S}row", f"{S}hyperlink", f"{S}drawing"):
                target = relationships.get(element.get(f"{_R}id", ""))
                if element.tag == f"{S}c":
                    sheet.add(element.get("r", ""), _cell_text(element, strings, formats).strip())
                elif element.tag == f"{S}row":
                    sheet.end_row(element.get("r", ""))
                    _forget(element)
                elif element.tag == f"{S}drawing":
                    sheet.drawing = target.target if target and target.target in package else ""
                elif target is not None and target.external:
                    sheet.link(element.get("ref", ""), target.target)
    except (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise UnsupportedFile(f"The part {part!r} of the workbook is damaged: {error}") from error
    return sheet


def _elements(stream: IO[bytes], *tags: str) -> Iterator[_Element]:
    from lxml import etree

    events = etree.iterparse(
        stream, events=("end",), tag=tags, resolve_entities=False, no_network=True, huge_tree=False
    )
    return (element for _, element in events)


def _forget(element: _Element) -> None:
    """What was read is dropped, with all that stands before it, or the whole sheet stays in memory."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _shared_strings(package: Package, part: str) -> Iterator[str]:
    from lxml import etree

    if part not in package:
        return
    try:
        with package.stream(part) as stream:
            for element in _elements(stream, f"{S}si"):
                yield _text(element)
                _forget(element)
    except (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise UnsupportedFile(f"The part {part!r} of the workbook is damaged: {error}") from error


def _cell_text(cell: _Element, strings: list[str], formats: CellFormats) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _text(cell)
    value = cell.findtext(f"{S}v") or ""
    if kind == "s":
        return strings[int(value)] if value.isdecimal() and int(value) < len(strings) else ""
    if kind == "b":
        return "TRUE" if value == "1" else "FALSE"
    return formats.show(value, cell.get("s", "")) if kind == "n" else value


def _text(element: _Element) -> str:
    """The text of a string, without the reading aids of East Asian scripts."""
    parts = element.iter(f"{S}t")
    return "".join(part.text or "" for part in parts if next(part.iterancestors(f"{S}rPh"), None) is None)


def _drawing(package: Package, part: str, pictures: Pictures) -> Iterator[str]:
    """Pictures and charts that lie on a sheet."""
    relationships = package.relationships(part)
    for element in package.xml(part).iter(f"{_A}blip", f"{_C}chart"):
        key = element.get(f"{_R}embed") or element.get(f"{_R}id") or ""
        target = relationships.get(key)
        if target is None or target.external or target.target not in package:
            continue
        if element.tag == f"{_A}blip":
            yield pictures.add(package.read(target.target))
        else:
            chart = package.xml(target.target)
            title = chart_title(chart)
            yield f"**{markdown.escape(title)}**" if title else ""
            yield markdown.table([[markdown.escape(cell) for cell in row] for row in chart_rows(chart)])


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
