"""The engines that are compared: ours, and every peer that happens to be installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

Convert = Callable[[Path], str]


@dataclass(frozen=True)
class Engine:
    """How an engine is called. `load` imports it, so that importing is not part of the measured time."""

    name: str
    package: str
    licence: str
    load: Callable[[], Convert]

    def version(self) -> str | None:
        """None where it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


def _ours() -> Convert:
    from common.processing.pdf.document import open_document

    def convert(path: Path) -> str:
        with open_document(path, max_pages=5_000) as document:
            return document.markdown(list(document.pages()))

    return convert


def _liteparse() -> Convert:
    liteparse = import_module("liteparse")

    parser = liteparse.LiteParse(ocr_enabled=False, output_format="markdown", quiet=True, num_workers=1)
    return lambda path: str(parser.parse(str(path)).text)


def _pdf_inspector() -> Convert:
    pdf_inspector = import_module("pdf_inspector")

    return lambda path: str(pdf_inspector.process_pdf(str(path)).markdown or "")


def _pypdfium2() -> Convert:
    pypdfium2 = import_module("pypdfium2")

    def convert(path: Path) -> str:
        document = pypdfium2.PdfDocument(path)
        try:
            return "\n\n".join(page.get_textpage().get_text_bounded() for page in document)
        finally:
            document.close()

    return convert


def _markitdown() -> Convert:
    markitdown = import_module("markitdown")

    converter = markitdown.MarkItDown()
    return lambda path: str(converter.convert(str(path)).text_content)


def _pymupdf4llm() -> Convert:
    pymupdf4llm = import_module("pymupdf4llm")

    return lambda path: str(pymupdf4llm.to_markdown(str(path), use_ocr=False))


OURS = Engine("Secretary", "secretary", "Apache-2.0", _ours)
PEERS = (
    Engine("liteparse", "liteparse", "Apache-2.0", _liteparse),
    Engine("pdf-inspector", "pdf-inspector", "MIT", _pdf_inspector),
    Engine("markitdown", "markitdown", "MIT", _markitdown),
    Engine("pypdfium2", "pypdfium2", "BSD/Apache-2.0", _pypdfium2),
    Engine("pymupdf4llm", "pymupdf4llm", "AGPL", _pymupdf4llm),
)
ENGINES = {engine.name: engine for engine in (OURS, *PEERS)}
