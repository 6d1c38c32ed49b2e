"""PDFs of any length, made of real pages: those of one document over and over."""

from __future__ import annotations

from pathlib import Path

import pypdf

from tests.unit.processing.documents import text_pdf
from tests.unit.shared_files import SHARED

PAPER = SHARED / "quality" / "pdf" / "annotation_language_2006.pdf"
LINE = "A page of plain text, as long as a line of a report usually is, and then some. " * 12


def pdf_of(path: Path, pages: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not PAPER.is_file():
        return text_pdf(path, [f"Page {number}. {LINE}" for number in range(1, pages + 1)])
    source, target = pypdf.PdfReader(PAPER), pypdf.PdfWriter()
    for number in range(pages):
        target.add_page(source.pages[number % len(source.pages)])
    with path.open("wb") as file:
        target.write(file)
    return path
