"""OpenDocument files (.odt, .odp, .ods): all three hold the same elements in one content part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from common.errors import EncryptedFile, UnsupportedFile
from common.processing.office import markdown
from common.processing.office.document import AssetWriter, OfficeDocument, Pictures
from common.processing.office.markdown import Run
from common.processing.office.package import Package, open_package, resolve

if TYPE_CHECKING:
    from lxml.etree import _Element

_NAMESPACE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_OFFICE, _TEXT, _TABLE, _DRAW = (_NAMESPACE % name for name in ("office", "text", "table", "drawing"))
_STYLE, _SHOW, _META = (_NAMESPACE % name for name in ("style", "presentation", "meta"))
_SVG = _NAMESPACE % "svg-compatible"
_FO = _NAMESPACE % "xsl-fo-compatible"
_MANIFEST = _NAMESPACE % "manifest"
_XLINK = "{http://www.w3.org/1999/xlink}"
_DC = "{http://purl.org/dc/elements/1.1/}"
DEEPEST_NESTING = 24
# Repeated cells and rows are one element in the file: only so many are written out.
MOST_REPEATED = 1000


def read_open_document(
    path: Path, *, write_asset: AssetWriter | None, unpacked_bytes: int, pages_limit: int
) -> OfficeDocument:
    with open_package(path, unpacked_bytes=unpacked_bytes) as package:
        _refuse_encrypted(package)
        content = package.xml("content.xml")
        pictures = Pictures(write_asset)
        reader = _Reader(package, content, pictures)
        pages = tuple(filter(None, reader.pages(content, pages_limit=pages_limit)))
        title, author = _properties(package)
        return OfficeDocument(
            markdown=markdown.join(pages),
            pages=pages,
            title=title or reader.first_heading,
            assets=pictures.assets,
            metadata={"author": author, "pages": len(pages)},
            warnings=pictures.warnings,
        )


def _refuse_encrypted(package: Package) -> None:
    if "META-INF/manifest.xml" not in package:
        return
    manifest = _manifest(package)
    if manifest is not None and next(manifest.iter(f"{_MANIFEST}encryption-data"), None) is not None:
        raise EncryptedFile("The document is protected by a password.")


def _manifest(package: Package) -> _Element | None:
    """Old writers declare a document type in the manifest, which is refused elsewhere."""
    try:
        return package.xml("META-INF/manifest.xml")
    except UnsupportedFile:
        return None


def _properties(package: Package) -> tuple[str, str]:
    try:
        meta = package.xml("meta.xml")
    except UnsupportedFile:
        return "", ""
    title, author = meta.findtext(f".//{_DC}title"), meta.findtext(f".//{_META}initial-creator")
    return (title or "").strip(), (author or "").strip()


class _Reader:
    """Walks the content part; keeps the styles that make text bold, and the notes met on the way."""

    def __init__(self, package: Package, content: _Element, pictures: Pictures) -> None:
        self._package = package
        self._pictures = pictures
        self._bold = _styles_with(content, "font-weight", "bold")
        self._italic = _styles_with(content, "font-style", "italic")
        self._notes: list[str] = []
        self.first_heading = ""

    def pages(self, content: _Element, *, pages_limit: int) -> Iterator[str]:
        body = content.find(f"{_OFFICE}body")
        kinds = [] if body is None else list(body)
        for kind in kinds:
            if kind.tag == f"{_OFFICE}presentation":
                slides = kind.findall(f"{_DRAW}page")
                if len(slides) > pages_limit:
                    raise UnsupportedFile(
                        f"The presentation has {len(slides)} slides; the limit is {pages_limit}."
                    )
                for number, slide in enumerate(slides, 1):
                    yield self._slide(slide, number)
            elif kind.tag == f"{_OFFICE}spreadsheet":
                for sheet in kind.findall(f"{_TABLE}table"):
                    name = sheet.get(f"{_TABLE}name", "")
                    yield markdown.join([markdown.heading(2, markdown.escape(name)), *self._table(sheet, 0)])
            elif kind.tag == f"{_OFFICE}text":
                yield markdown.join([*self._blocks(kind, depth=0), *self._notes])

    def _slide(self, slide: _Element, number: int) -> str:
        frames = [frame for frame in slide if frame.get(f"{_SHOW}class") == "title"]
        title = " ".join(" ".join(_plain(frame) for frame in frames).split())
        self.first_heading = self.first_heading or title
        blocks = [markdown.heading(1 if number == 1 else 2, markdown.escape(title) or f"Slide {number}")]
        for shape in slide:
            if shape.tag == f"{_SHOW}notes":
                notes = markdown.join(list(self._blocks(shape, depth=0, pictures=False)))
                blocks.append(markdown.quote(f"**Notes:** {notes}") if notes else "")
            elif shape not in frames:
                blocks.extend(self._shape(shape, depth=0))
        return markdown.join(blocks)

    def _blocks(self, parent: _Element, *, depth: int, pictures: bool = True) -> Iterator[str]:
        if depth > DEEPEST_NESTING:
            return
        for element in parent:
            if element.tag == f"{_TEXT}h":
                yield self._heading(element)
            elif element.tag == f"{_TEXT}p":
                yield markdown.paragraph(self._inline(element))
                yield from self._anchored(element, depth=depth) if pictures else ()
            elif element.tag == f"{_TEXT}list":
                yield from self._list(element, 0, depth=depth)
            elif element.tag == f"{_TABLE}table":
                yield from self._table(element, depth)
            elif element.tag in (f"{_TEXT}section", f"{_TEXT}index-body"):
                yield from self._blocks(element, depth=depth + 1)
            elif element.tag.startswith(_DRAW):
                yield from self._shape(element, depth=depth, pictures=pictures)

    def _heading(self, element: _Element) -> str:
        text = self._inline(element, plain=True).strip()
        if not text:
            return ""
        self.first_heading = self.first_heading or " ".join(text.split())
        level = element.get(f"{_TEXT}outline-level", "1")
        return markdown.heading(int(level) if level.isdecimal() else 1, text)

    def _list(self, element: _Element, level: int, *, depth: int) -> Iterator[str]:
        if depth > DEEPEST_NESTING:
            return
        for entry in element.iterfind(f"{_TEXT}list-item"):
            for inner in entry:
                if inner.tag == f"{_TEXT}list":
                    yield from self._list(inner, level + 1, depth=depth + 1)
                elif inner.tag in (f"{_TEXT}p", f"{_TEXT}h"):
                    text = self._inline(inner).strip()
                    yield markdown.item(level, text) if text else ""

    def _table(self, table: _Element, depth: int) -> Iterator[str]:
        if depth > DEEPEST_NESTING:
            return
        rows: list[list[str]] = []
        for row in table.iter(f"{_TABLE}table-row"):
            if next(row.iterancestors(f"{_TABLE}table"), None) is not table:
                continue
            cells = list(self._cells(row, depth))
            if any(cells):
                rows.extend([cells] * _repeated(row, "rows"))
        yield markdown.table(rows)

    def _cells(self, row: _Element, depth: int) -> Iterator[str]:
        for cell in row:
            if cell.tag == f"{_TABLE}covered-table-cell":
                text = ""
            elif cell.tag == f"{_TABLE}table-cell":
                text = "\n".join(filter(None, self._blocks(cell, depth=depth + 1)))
            else:
                continue
            for _ in range(_repeated(cell, "columns")):
                yield text

    def _shape(self, shape: _Element, *, depth: int, pictures: bool = True) -> Iterator[str]:
        """A frame, group or drawn shape: its text, table or picture."""
        if depth > DEEPEST_NESTING or not isinstance(shape.tag, str):
            return
        image = shape.find(f"{_DRAW}image")
        table = shape.find(f"{_TABLE}table")
        if table is not None:
            yield from self._table(table, depth + 1)
        elif image is not None:
            if pictures:
                yield self._picture(shape, image)
        else:
            for inner in shape:
                if inner.tag in (f"{_DRAW}text-box", f"{_DRAW}g", f"{_DRAW}frame", f"{_DRAW}custom-shape"):
                    yield from self._shape(inner, depth=depth + 1, pictures=pictures)
            yield from self._blocks_of_shape(shape, depth=depth, pictures=pictures)

    def _blocks_of_shape(self, shape: _Element, *, depth: int, pictures: bool) -> Iterator[str]:
        for element in shape:
            if element.tag == f"{_TEXT}p":
                yield markdown.paragraph(self._inline(element))
                yield from self._anchored(element, depth=depth) if pictures else ()
            elif element.tag == f"{_TEXT}list":
                yield from self._list(element, 0, depth=depth + 1)

    def _anchored(self, paragraph: _Element, *, depth: int) -> Iterator[str]:
        for frame in paragraph.iter(f"{_DRAW}frame"):
            if next(frame.iterancestors(f"{_TEXT}p"), None) is paragraph:
                yield from self._shape(frame, depth=depth + 1)

    def _picture(self, frame: _Element, image: _Element) -> str:
        target = resolve("", image.get(f"{_XLINK}href", ""))
        if target not in self._package:
            return ""
        description = frame.find(f"{_SVG}desc")
        alt = "" if description is None else description.text or ""
        return self._pictures.add(self._package.read(target), alt=alt)

    def _inline(self, element: _Element, *, plain: bool = False) -> str:
        runs = list(self._runs(element, Run(text=""), depth=0))
        if plain:
            runs = [Run(text=run.text, link=run.link) for run in runs]
        return markdown.inline(runs).strip()

    def _runs(self, element: _Element, look: Run, *, depth: int) -> Iterator[Run]:
        if element.text and depth <= DEEPEST_NESTING:
            yield _with_text(look, element.text)
        for inner in element if depth <= DEEPEST_NESTING else ():
            yield from self._run(inner, look, depth=depth)
            if inner.tail:
                yield _with_text(look, inner.tail)

    def _run(self, inner: _Element, look: Run, *, depth: int) -> Iterator[Run]:
        if inner.tag == f"{_TEXT}s":
            count = inner.get(f"{_TEXT}c", "1")
            yield _with_text(look, " " * min(int(count), 80) if count.isdecimal() else " ")
        elif inner.tag == f"{_TEXT}tab":
            yield _with_text(look, " ")
        elif inner.tag == f"{_TEXT}line-break":
            yield _with_text(look, "\n")
        elif inner.tag == f"{_TEXT}note":
            yield Run(text=f"[^{self._note(inner)}]")
        elif inner.tag == f"{_TEXT}a":
            linked = Run(text="", bold=look.bold, italic=look.italic, link=inner.get(f"{_XLINK}href"))
            yield from self._runs(inner, linked, depth=depth + 1)
        elif inner.tag == f"{_TEXT}span":
            style = inner.get(f"{_TEXT}style-name", "")
            bold, italic = style in self._bold, style in self._italic
            styled = Run(text="", bold=look.bold or bold, italic=look.italic or italic, link=look.link)
            yield from self._runs(inner, styled, depth=depth + 1)
        elif isinstance(inner.tag, str) and inner.tag.startswith(_TEXT):
            yield from self._runs(inner, look, depth=depth + 1)  # fields: page number, date, reference …

    def _note(self, note: _Element) -> int:
        body = note.find(f"{_TEXT}note-body")
        number = len(self._notes) + 1
        self._notes.append("")
        text = "" if body is None else " ".join(markdown.join(list(self._blocks(body, depth=1))).split())
        self._notes[number - 1] = f"[^{number}]: {text}"
        return number


def _styles_with(content: _Element, attribute: str, value: str) -> frozenset[str]:
    return frozenset(
        style.get(f"{_STYLE}name", "")
        for style in content.iter(f"{_STYLE}style")
        for properties in style.iterfind(f"{_STYLE}text-properties")
        if properties.get(f"{_FO}{attribute}") == value
    )


def _with_text(look: Run, text: str) -> Run:
    return Run(text=text, bold=look.bold, italic=look.italic, link=look.link)


def _repeated(element: _Element, what: str) -> int:
    count = element.get(f"{_TABLE}number-{what}-repeated", "1")
    return max(1, min(int(count), MOST_REPEATED)) if count.isdecimal() else 1


def _plain(element: _Element) -> str:
    lines = element.iter(f"{_TEXT}p", f"{_TEXT}h")
    return " ".join("".join(map(str, line.itertext())) for line in lines)
