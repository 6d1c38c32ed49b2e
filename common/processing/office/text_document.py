"""Text documents (.docx): headings, lists, tables, pictures, links, charts, notes and text boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from common.errors import UnsupportedFile
from common.processing.office import markdown
from common.processing.office.chart import chart_rows, chart_title
from common.processing.office.document import AssetWriter, OfficeDocument, Pictures
from common.processing.office.markdown import Run
from common.processing.office.package import Package, open_package
from common.processing.office.properties import core_properties
from common.processing.office.text_styles import TextStyles, W, read_styles

if TYPE_CHECKING:
    from lxml.etree import _Element

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_V = "{urn:schemas-microsoft-com:vml}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_CONTAINERS = {
    f"{W}{tag}"
    for tag in ("ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "bdo", "dir", "customXml")
}
_LINK_FIELD = re.compile(r'^\s*HYPERLINK\s+"([^"]+)"')
MAIN_PART = "word/document.xml"
DEEPEST_NESTING = 12


def read_text_document(path: Path, *, write_asset: AssetWriter | None, unpacked_bytes: int) -> OfficeDocument:
    with open_package(path, unpacked_bytes=unpacked_bytes) as package:
        part = _main_part(package)
        pictures = Pictures(write_asset)
        reader = _Reader(package, part, pictures)
        body = package.xml(part).find(f"{W}body")
        blocks = [] if body is None else list(reader.blocks(body, depth=0))
        text = markdown.join([*blocks, *reader.notes()])
        properties = core_properties(package)
        return OfficeDocument(
            markdown=text,
            pages=(text,),
            title=properties["title"] or reader.first_heading,
            assets=pictures.assets,
            metadata={"author": properties["author"]},
            warnings=pictures.warnings,
        )


def _main_part(package: Package) -> str:
    for relationship in package.relationships("").values():
        if relationship.kind == "officeDocument":
            return relationship.target
    if MAIN_PART in package:
        return MAIN_PART
    raise UnsupportedFile("The document has no main part; it is damaged.")


class _Reader:
    """Walks one document part; keeps what paragraphs share: styles, links, notes, open fields."""

    def __init__(self, package: Package, part: str, pictures: Pictures) -> None:
        self._package = package
        self._pictures = pictures
        self._relationships = package.relationships(part)
        self._styles = self._read_styles()
        self._note_ids: list[tuple[str, str]] = []
        self._field_codes: list[str] = []
        self.first_heading = ""

    def blocks(self, parent: _Element, *, depth: int) -> Iterator[str]:
        if depth > DEEPEST_NESTING:
            return
        for element in parent:
            if element.tag == f"{W}p":
                yield from self._paragraph(element, depth=depth)
            elif element.tag == f"{W}tbl":
                yield from self._table(element, depth=depth)
            elif element.tag in _CONTAINERS:
                yield from self.blocks(element, depth=depth + 1)

    def notes(self) -> Iterator[str]:
        """Footnotes and endnotes, in the order they were referred to."""
        for number, (kind, key) in enumerate(self._note_ids, 1):
            note = self._note(kind, key)
            if note is not None:
                text = " ".join(markdown.join(list(self.blocks(note, depth=1))).split())
                yield f"[^{number}]: {text}"

    def _paragraph(self, paragraph: _Element, *, depth: int) -> Iterator[str]:
        if self._styles.name(paragraph).startswith("toc "):
            return  # the table of contents repeats the headings with page numbers
        runs = list(self._runs(paragraph, link=None, depth=0))
        yield from self._text_block(paragraph, runs)
        yield from self._drawings(paragraph, depth=depth)

    def _text_block(self, paragraph: _Element, runs: list[Run]) -> Iterator[str]:
        plain = "".join(run.text for run in runs).strip()
        if not plain:
            return
        level = self._styles.heading_level(paragraph)
        if level is not None:
            self.first_heading = self.first_heading or " ".join(plain.split())
            yield markdown.heading(
                level, markdown.inline([Run(text=run.text, link=run.link) for run in runs])
            )
            return
        text = markdown.inline(runs).strip()
        place = self._styles.list_place(paragraph)
        if place is None:
            yield markdown.paragraph(text)
        else:
            number = self._styles.next_number(place)
            yield markdown.item(place.level, text, number=number if place.ordered else None)

    def _runs(self, parent: _Element, *, link: str | None, depth: int) -> Iterator[Run]:
        if depth > DEEPEST_NESTING:
            return
        for element in parent:
            if element.tag == f"{W}r":
                yield from self._run(element, link)
            elif element.tag == f"{W}hyperlink":
                target = self._relationships.get(element.get(f"{_R}id", ""))
                address = target.target if target and target.external else None
                yield from self._runs(element, link=address, depth=depth + 1)
            elif element.tag in _CONTAINERS:
                yield from self._runs(element, link=link, depth=depth + 1)
            elif element.tag in (f"{_M}oMath", f"{_M}oMathPara"):
                yield Run(text="".join(text.text or "" for text in element.iter(f"{_M}t")))

    def _run(self, run: _Element, link: str | None) -> Iterator[Run]:
        bold, italic = _is_on(run, "b"), _is_on(run, "i")
        for element in run:
            text = ""
            if element.tag == f"{W}t":
                text = element.text or ""
            elif element.tag == f"{W}tab":
                text = " "
            elif element.tag in (f"{W}br", f"{W}cr"):
                text = "\n"
            elif element.tag == f"{W}noBreakHyphen":
                text = "-"
            elif element.tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                yield self._note_mark(element)
            elif element.tag in (f"{W}fldChar", f"{W}instrText"):
                self._field(element)
            if text:
                yield Run(text=text, bold=bold, italic=italic, link=link or self._field_link())

    def _field(self, element: _Element) -> None:
        """Fields nest: each opens, holds its code, and closes; a link's code names its target."""
        kind = element.get(f"{W}fldCharType")
        if kind == "begin":
            self._field_codes.append("")
        elif kind == "end" and self._field_codes:
            self._field_codes.pop()
        elif element.tag == f"{W}instrText" and self._field_codes:
            self._field_codes[-1] += element.text or ""

    def _field_link(self) -> str | None:
        found = _LINK_FIELD.match(self._field_codes[-1]) if self._field_codes else None
        return found[1] if found else None

    def _note_mark(self, element: _Element) -> Run:
        kind = "footnote" if element.tag == f"{W}footnoteReference" else "endnote"
        self._note_ids.append((kind, element.get(f"{W}id", "")))
        return Run(text=f"[^{len(self._note_ids)}]")

    def _drawings(self, paragraph: _Element, *, depth: int) -> Iterator[str]:
        """Pictures, charts and text boxes float beside a paragraph: they follow it."""
        for element in _outermost_drawings(paragraph):
            for blip in element.iter(f"{_A}blip", f"{_V}imagedata"):
                key = blip.get(f"{_R}embed") or blip.get(f"{_R}id") or ""
                yield self._picture(key, alt=_alternative_text(element))
            for chart in element.iter(f"{_C}chart"):
                yield from self._chart(chart.get(f"{_R}id", ""))
            for box in element.iter(f"{W}txbxContent"):
                yield from self.blocks(box, depth=depth + 1)

    def _picture(self, key: str, *, alt: str) -> str:
        target = self._relationships.get(key)
        if target is None or target.external or target.target not in self._package:
            return ""
        return self._pictures.add(self._package.read(target.target), alt=alt)

    def _chart(self, key: str) -> Iterator[str]:
        target = self._relationships.get(key)
        if target is None or target.external or target.target not in self._package:
            return
        chart = self._package.xml(target.target)
        title = chart_title(chart)
        yield f"**{markdown.escape(title)}**" if title else ""
        yield markdown.table([[markdown.escape(cell) for cell in row] for row in chart_rows(chart)])

    def _table(self, table: _Element, *, depth: int) -> Iterator[str]:
        rows = [list(self._row(row, depth=depth)) for row in table.iterfind(f"{W}tr")]
        cells = [cell for row in rows for cell in row]
        if len(cells) == 1:  # a frame around text, not a table
            yield cells[0].replace("\n", "\n\n")
        else:
            yield markdown.table(rows)

    def _row(self, row: _Element, *, depth: int) -> Iterator[str]:
        for cell in row.iterfind(f"{W}tc"):
            merge = cell.find(f"{W}tcPr/{W}vMerge")
            hidden = merge is not None and merge.get(f"{W}val") != "restart"
            text = "" if hidden else "\n".join(filter(None, self.blocks(cell, depth=depth + 1)))
            yield text
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            width = span.get(f"{W}val", "1") if span is not None else "1"
            for _ in range(min(int(width), 64) - 1 if width.isdecimal() else 0):
                yield ""

    def _note(self, kind: str, key: str) -> _Element | None:
        for relationship in self._relationships.values():
            if relationship.kind == f"{kind}s" and relationship.target in self._package:
                for note in self._package.xml(relationship.target).iter(f"{W}{kind}"):
                    if note.get(f"{W}id") == key:
                        return note
        return None

    def _read_styles(self) -> TextStyles:
        parts: dict[str, _Element] = {}
        for relationship in self._relationships.values():
            if relationship.kind in ("styles", "numbering") and relationship.target in self._package:
                parts[relationship.kind] = self._package.xml(relationship.target)
        return read_styles(parts.get("styles"), parts.get("numbering"))


def _outermost_drawings(paragraph: _Element) -> Iterator[_Element]:
    """The modern form of each drawing; its fallback repeats it for old programs."""
    for element in paragraph.iter(f"{W}drawing", f"{W}pict", f"{W}object"):
        ancestors = [ancestor.tag for ancestor in element.iterancestors()]
        inside = ancestors[: ancestors.index(f"{W}p")] if f"{W}p" in ancestors else ancestors
        nested = next(element.iterancestors(f"{W}p"), None) is not paragraph
        if f"{_MC}Fallback" not in inside and not nested:
            yield element


def _alternative_text(drawing: _Element) -> str:
    found = next(drawing.iter(f"{_WP}docPr"), None)
    return "" if found is None else found.get("descr", "")


def _is_on(run: _Element, tag: str) -> bool:
    found = run.find(f"{W}rPr/{W}{tag}")
    return found is not None and found.get(f"{W}val", "1") not in ("0", "false", "off")
