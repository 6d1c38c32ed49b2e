"""Presentations (.pptx): titles, levels, tables, charts, diagrams, pictures, links and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.errors import UnsupportedFile
from common.processing.office import markdown
from common.processing.office.chart import chart_rows, chart_title
from common.processing.office.diagram import diagram_items
from common.processing.office.document import AssetWriter, OfficeDocument, Pictures
from common.processing.office.markdown import Run
from common.processing.office.package import parse_xml

if TYPE_CHECKING:
    from pptx.slide import Slide

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_BULLETS = {"buNone": "none", "buAutoNum": "number", "buChar": "bullet", "buBlip": "bullet"}
# Shapes whose tops differ less than this share of the slide stand in one row.
ROW_SHARE = 0.04
DEEPEST_GROUP = 16


def read_slides(path: Path, *, write_asset: AssetWriter | None, pages_limit: int) -> OfficeDocument:
    presentation = _open(path)
    count = len(presentation.slides)
    if count > pages_limit:
        raise UnsupportedFile(f"The presentation has {count} slides; the limit is {pages_limit}.")
    pictures = Pictures(write_asset)
    row_height = int(presentation.slide_height or 6_858_000) * ROW_SHARE
    pages = tuple(
        _slide(slide, number, row_height, pictures) for number, slide in enumerate(presentation.slides, 1)
    )
    titles = [_title(slide) for slide in presentation.slides]
    properties = presentation.core_properties
    return OfficeDocument(
        markdown=markdown.join(pages),
        pages=pages,
        title=(properties.title or "").strip() or next(filter(None, titles), ""),
        assets=pictures.assets,
        metadata={"author": properties.author or "", "pages": count, "slide_titles": titles},
        warnings=pictures.warnings,
    )


def _open(path: Path) -> Any:
    from pptx import Presentation

    try:
        return Presentation(str(path))
    except Exception as error:  # a damaged package fails in the library in many ways
        raise UnsupportedFile(f"The presentation is damaged and cannot be opened: {error}") from error


def _slide(slide: Slide, number: int, row_height: float, pictures: Pictures) -> str:
    title = _title(slide)
    blocks = [markdown.heading(1 if number == 1 else 2, markdown.escape(title) or f"Slide {number}")]
    title_shape = slide.shapes.title
    for shape in _in_reading_order(slide.shapes, row_height):
        if title_shape is None or shape.shape_id != title_shape.shape_id:
            blocks.extend(_shape(shape, row_height, pictures, depth=0))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            blocks.append(markdown.quote(f"**Notes:** {markdown.escape(_lines(notes))}"))
    return markdown.join(blocks)


def _title(slide: Slide) -> str:
    shape = slide.shapes.title
    return " ".join(_lines(shape.text_frame.text).split()) if shape is not None else ""


def _in_reading_order(shapes: Any, row_height: float) -> list[Any]:
    """Row by row, each from left to right; the file holds shapes in the order they were drawn."""
    placed = sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    rows: list[list[Any]] = []
    for shape in placed:
        if rows and (shape.top or 0) - (rows[-1][0].top or 0) <= row_height:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [shape for row in rows for shape in sorted(row, key=lambda shape: shape.left or 0)]


def _shape(shape: Any, row_height: float, pictures: Pictures, *, depth: int) -> Iterator[str]:
    if _is_furniture(shape):
        return
    if hasattr(shape, "shapes"):  # a group
        if depth < DEEPEST_GROUP:
            for inner in _in_reading_order(shape.shapes, row_height):
                yield from _shape(inner, row_height, pictures, depth=depth + 1)
    elif getattr(shape, "has_table", False):
        yield _table(shape.table)
    elif shape.has_text_frame:
        yield from _paragraphs(shape)
    elif (data := _picture(shape)) is not None:
        yield pictures.add(data, alt=_alternative_text(shape))
    else:
        yield from _graphic(shape)


def _is_furniture(shape: Any) -> bool:
    """Slide number, date and foot repeat on every slide."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    furniture = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER)
    return shape.is_placeholder and shape.placeholder_format.type in furniture


def _paragraphs(shape: Any) -> Iterator[str]:
    listed = _is_list(shape)
    numbers: dict[int, int] = {}
    for line in shape.text_frame.paragraphs:
        text = markdown.inline(list(_runs(line))).strip()
        if not text:
            continue
        style = _bullet(line)
        if style == "number":
            numbers[line.level] = numbers.get(line.level, 0) + 1
            yield markdown.item(line.level, text, number=numbers[line.level])
        elif style == "bullet" or (listed and style is None):
            yield markdown.item(line.level, text)
        else:
            yield markdown.paragraph(text)


def _is_list(shape: Any) -> bool:
    """Body placeholders are lists unless a paragraph says otherwise; text boxes are not."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    lists = (PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY)
    if not shape.is_placeholder or shape.placeholder_format.type not in lists:
        return False
    return sum(bool(line.text.strip()) for line in shape.text_frame.paragraphs) > 1


def _bullet(line: Any) -> str | None:
    properties = line._p.pPr
    if properties is None:
        return None
    found = (style for tag, style in _BULLETS.items() if properties.find(f"{_A}{tag}") is not None)
    return next(found, None)


def _runs(line: Any) -> Iterator[Run]:
    runs = {run._r: run for run in line.runs}
    for element in line._p:
        if element.tag == f"{_A}br":
            yield Run(text="\n")
        elif element.tag in (f"{_A}r", f"{_A}fld"):
            text = _lines("".join(part.text or "" for part in element.iter(f"{_A}t")))
            run = runs.get(element)
            if run is None:  # a field: a date, a number
                yield Run(text=text)
            else:
                font, link = run.font, run.hyperlink.address
                yield Run(text=text, bold=bool(font.bold), italic=bool(font.italic), link=link)


def _table(table: Any) -> str:
    return markdown.table([[_cell(cell) for cell in row.cells] for row in table.rows])


def _cell(cell: Any) -> str:
    return "" if cell.is_spanned else markdown.escape(_lines(cell.text))


def _picture(shape: Any) -> bytes | None:
    try:
        blob: bytes = shape.image.blob
    except (AttributeError, KeyError, ValueError):  # no picture, an empty placeholder, or a linked file
        return None
    return blob


def _alternative_text(shape: Any) -> str:
    """What the author wrote; the file names and size notes that programs put there say nothing."""
    text = shape._element._nvXxPr.cNvPr.get("descr") or ""
    return "" if text.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".emf", ".wmf")) else text


def _graphic(shape: Any) -> Iterator[str]:
    """A chart or a diagram: both keep their content in a part of their own."""
    for element in shape._element.iter(_CHART, _DIAGRAM):
        key = element.get(f"{_R}id") or element.get(f"{_R}dm") or ""
        try:
            part = shape.part.related_part(key)
        except KeyError:
            continue
        content = parse_xml(part.blob, name=str(part.partname))
        if element.tag == _CHART:
            title = chart_title(content)
            yield f"**{markdown.escape(title)}**" if title else ""
            yield markdown.table([[markdown.escape(cell) for cell in row] for row in chart_rows(content)])
        else:
            for level, text in diagram_items(content):
                yield markdown.item(level, markdown.escape(text))


def _lines(text: str) -> str:
    return text.replace("\v", "\n")
