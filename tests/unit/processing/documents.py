"""Small PDFs for tests, made by PDFium and Pillow: text pages and pages that are only a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from tests.unit.processing.pictures import draw_page

A4 = (595, 842)


def text_pdf(path: Path, pages: Sequence[str]) -> Path:
    """One page for each text, its lines in Helvetica. Written by hand: no library of ours writes PDFs."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for text in pages:
        objects.append(_stream(_drawing(text)))
        content = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {A4[0]} {A4[1]}] /Contents {content} 0 R"
            " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
            " /Encoding /WinAnsiEncoding >> >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    path.write_bytes(_file(objects))
    return path


def scanned_pdf(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """Each page a picture of its lines."""
    pictures = [draw_page(tuple(lines), size=(1240, 700)) for lines in pages]
    pictures[0].save(path, "PDF", resolution=150, save_all=True, append_images=pictures[1:])
    return path


def joined_pdf(path: Path, parts: Sequence[Path]) -> Path:
    import pypdf

    writer = pypdf.PdfWriter()
    for part in parts:
        writer.append(part)
    writer.write(path)
    return path


def png(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def _drawing(text: str) -> str:
    lines = "".join(f"({_escaped(line)}) Tj T*\n" for line in text.splitlines())
    return f"BT /F1 12 Tf 72 760 Td 16 TL\n{lines}ET"


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _stream(content: str) -> str:
    return f"<< /Length {len(content.encode('cp1252'))} >>\nstream\n{content}\nendstream"


def _file(objects: Sequence[str]) -> bytes:
    body = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    start = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + (start + trailer).encode()
