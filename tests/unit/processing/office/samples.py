"""Small office documents, made for the tests."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from common.processing.office.libreoffice import program

CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONSHIPS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="word/document.xml" Type="http://schemas.openxmlformats.org'
    '/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
ODT = "application/vnd.oasis.opendocument.text"


def _needs_libreoffice() -> pytest.MarkDecorator:
    """Absent on a developer's machine: skipped. Absent in CI: the tests run, and fail."""
    absent = program() is None and os.environ.get("CI") != "1"
    return pytest.mark.skipif(absent, reason="LibreOffice is not installed (Debian: libreoffice-impress)")


needs_libreoffice = _needs_libreoffice()


def presentation(path: Path, *, hidden: int | None = None) -> Path:
    """Three slides: a title, a list with notes, a table with a picture."""
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    title, listed, other = (deck.slides.add_slide(deck.slide_layouts[layout]) for layout in (0, 1, 5))
    title.shapes.title.text = "Why paper survives"
    listed.shapes.title.text = "Three reasons"
    body = listed.placeholders[1].text_frame
    body.text = "It needs no power"
    body.add_paragraph().text = "It tears, but slowly"
    body.paragraphs[1].level = 1
    listed.notes_slide.notes_text_frame.text = "Pause here."
    other.shapes.title.text = "Figures"
    table = other.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for number, text in enumerate(("year", "sheets", "2024", "1200")):
        table.cell(number // 2, number % 2).text = text
    other.shapes.add_picture(io.BytesIO(picture()), Inches(6), Inches(2))
    if hidden:
        deck.slides[hidden - 1]._element.set("show", "0")
    deck.save(str(path))
    return path


def picture() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (40, 30), "navy").save(target, "PNG")
    return target.getvalue()


def text_document(path: Path, body: str = "<w:p><w:r><w:t>Plain words.</w:t></w:r></w:p>") -> Path:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    document = f'<?xml version="1.0"?><w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
    return package(path, {
        "[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": RELATIONSHIPS, "word/document.xml": document,
    })  # fmt: skip


def workbook(path: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Budget"
    for row in (("item", "euros"), ("paper", 12.5), ("ink", 40)):
        sheet.append(row)
    book.create_sheet("Empty")
    book.save(path)
    return path


def open_text(path: Path, body: str) -> Path:
    content = (
        '<?xml version="1.0"?><office:document-content office:version="1.2"'
        ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
        ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
        ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest manifest:version="1.2"'
        ' xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODT}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    return package(path, {"mimetype": ODT, "content.xml": content, "META-INF/manifest.xml": manifest})


def package(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            compression = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, compression)
    return path
