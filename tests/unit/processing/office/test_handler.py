"""The job type `office`, and office documents handed to the job type `pdf`."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from common.errors import EncryptedFile, UnsupportedFile
from common.processing.base import Context, Limits, Result
from common.processing.office import libreoffice
from common.processing.office.handler import handle
from common.processing.office.parameters import OfficeParameters
from common.processing.pdf import handler as pdf_handler
from common.processing.pdf.parameters import PdfParameters
from tests.unit.processing.contexts import Desk, RecordedProgress
from tests.unit.processing.office.samples import (
    needs_libreoffice,
    open_text,
    package,
    presentation,
    text_document,
    workbook,
)
from tests.unit.shared_files import FIXTURES, needs_shared


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk")


@pytest.fixture
def no_libreoffice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libreoffice, "PROGRAMS", ("no-such-program",))


def run(path: Path, context: Context, /, **options: Any) -> Result:
    return handle(OfficeParameters(file_path=str(path), **options), context)


def test_a_presentation_keeps_titles_levels_notes_and_tables(tmp_path: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(presentation(tmp_path / "My talk.pptx"), context)
    assert result.markdown.startswith("# Why paper survives")
    assert "- It needs no power\n    - It tears, but slowly" in result.markdown
    assert "Pause here." in result.markdown
    assert "| 2024 | 1200 |" in result.markdown
    assert "![" not in result.markdown
    assert len(result.page_texts) == 3
    assert "Three reasons" in context.files.read(result.page_texts[1]).decode()
    assert result.markdown_file == "My_talk.md"
    assert (result.metadata["title"], result.metadata["pages"]) == ("Why paper survives", 3)
    assert result.archive_name == "My_talk.zip"


def test_sheets_are_pages(tmp_path: Path, desk: Desk) -> None:
    result = run(workbook(tmp_path / "book.xlsx"), desk.context())
    assert "## Budget" in result.markdown
    assert "| paper | 12.5 |" in result.markdown


def test_open_documents_are_read_directly(tmp_path: Path, desk: Desk, no_libreoffice: None) -> None:
    body = '<text:h text:outline-level="1">Head</text:h><text:p>Words below it.</text:p>'
    result = run(open_text(tmp_path / "text.odt", body), desk.context())
    assert result.markdown.strip() == "# Head\n\nWords below it."


def test_a_second_job_reads_nothing_again(tmp_path: Path, desk: Desk) -> None:
    path = presentation(tmp_path / "talk.pptx")
    first = run(path, desk.context())
    context = desk.context()
    again = run(path, context)
    assert (first.is_from_cache, again.is_from_cache) == (False, True)
    assert again.markdown == first.markdown
    assert again.page_texts == first.page_texts
    assert context.files.read(again.page_texts[0])
    assert not run(path, desk.context(), force_overwrite=True).is_from_cache


def test_pictures_without_libreoffice_are_those_of_the_document(
    tmp_path: Path, desk: Desk, no_libreoffice: None
) -> None:
    context = desk.context()
    result = run(presentation(tmp_path / "talk.pptx"), context, include_images=True)
    assert result.assets == ("images/image_001.png",)
    assert "![](images/image_001.png)" in result.markdown
    assert context.files.read("images/image_001.png").startswith(b"\x89PNG")
    assert [warning.code for warning in result.warnings] == ["UNSUPPORTED_FILE"]
    assert "LibreOffice" in result.warnings[0].message


@needs_libreoffice
def test_with_libreoffice_every_slide_has_a_picture(tmp_path: Path, desk: Desk) -> None:
    path = presentation(tmp_path / "talk.pptx", hidden=2)
    result = run(path, desk.context(), include_images=True)
    slides = tuple(f"slides/slide_{number:03}.jpg" for number in (1, 2, 3))
    assert result.assets == ("images/image_001.png", *slides)
    assert result.warnings == ()
    assert result.archive_name is not None
    assert result.archive_name.startswith("talk_images_")
    again = run(path, desk.context(), include_images=True)
    assert again.is_from_cache
    assert again.assets == result.assets


@needs_libreoffice
def test_a_presentation_handed_to_pdf_is_converted_first(tmp_path: Path, desk: Desk) -> None:
    path = presentation(tmp_path / "talk.pptx")
    progress = RecordedProgress()
    parameters = PdfParameters(file_path=str(path))
    result = pdf_handler.handle(parameters, desk.context(progress=progress))
    assert len(result.page_texts) == 3
    assert "It needs no power" in result.markdown
    steps = [step for step, _ in progress.steps]
    assert steps.index("converting_pptx_to_pdf") < steps.index("processing_pages:1/3")
    assert [percent for _, percent in progress.steps] == sorted(percent for _, percent in progress.steps)
    assert "document.pdf" in desk.cached("converted"), "the next job need not convert it"
    assert pdf_handler.handle(parameters, desk.context()).is_from_cache


def test_without_libreoffice_that_is_an_unsupported_file(
    tmp_path: Path, desk: Desk, no_libreoffice: None
) -> None:
    path = presentation(tmp_path / "talk.pptx")
    with pytest.raises(UnsupportedFile, match="LibreOffice, which is not installed"):
        pdf_handler.handle(PdfParameters(file_path=str(path)), desk.context())


@needs_libreoffice
def test_a_legacy_format_goes_through_libreoffice(tmp_path: Path, desk: Desk) -> None:
    path = tmp_path / "old.rtf"
    path.write_text(r"{\rtf1\ansi Old words in an old format.\par}")
    assert run(path, desk.context()).markdown.strip() == "Old words in an old format."


def test_a_legacy_format_without_libreoffice_is_unsupported(
    tmp_path: Path, desk: Desk, no_libreoffice: None
) -> None:
    path = tmp_path / "old.rtf"
    path.write_text(r"{\rtf1\ansi Old words.\par}")
    with pytest.raises(UnsupportedFile, match="LibreOffice"):
        run(path, desk.context())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x-empty"),
        (b"%PDF-1.7\n1 0 obj\n", "application/pdf"),
        (b"PK\x03\x04" + b"\0" * 40, "ZIP"),
        (b"words", "text/plain"),
    ],
)
def test_what_is_no_office_document_is_refused(
    tmp_path: Path, desk: Desk, content: bytes, message: str
) -> None:
    path = tmp_path / "file.docx"
    path.write_bytes(content)
    with pytest.raises(UnsupportedFile, match=message):
        run(path, desk.context())


def test_a_password_is_named(tmp_path: Path, desk: Desk) -> None:
    path = tmp_path / "locked.docx"
    name = "EncryptedPackage\0".encode("utf-16-le")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 22 + b"\x09\0" + b"\0" * 480
    path.write_bytes(header[:512] + name.ljust(512, b"\0"))
    with pytest.raises(EncryptedFile, match="password"):
        run(path, desk.context())


def test_a_package_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = text_document(tmp_path / "bomb.docx", "<w:p/>" * 200_000)
    desk = Desk(tmp_path / "desk", limits=Limits(unpacked_bytes=500_000))
    with pytest.raises(UnsupportedFile):
        run(path, desk.context())


def test_entities_are_not_expanded(tmp_path: Path, desk: Desk) -> None:
    path = text_document(tmp_path / "entity.docx")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    hostile = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    parts["word/document.xml"] = parts["word/document.xml"].replace("?>", f"?>{hostile}", 1)
    parts["word/document.xml"] = parts["word/document.xml"].replace("Plain words.", "&a;")
    package(path, parts)
    with pytest.raises(UnsupportedFile, match="document type"):
        run(path, desk.context())


@needs_shared
@pytest.mark.parametrize(
    ("name", "pages", "expected"),
    [
        ("openchain_lieferkette_de.pptx", 4, "Das OpenChain-Projekt"),
        ("openchain_training_checklist.docx", 1, "Refresher training on open source compliance"),
        ("openchain_tooling_comparison.xlsx", 1, "Fossology"),
        ("faster_cpython.odp", 29, "CPython bytecode is inefficient"),
    ],
)
def test_the_shared_documents(desk: Desk, name: str, pages: int, expected: str) -> None:
    result = run(FIXTURES / "slides" / name, desk.context())
    assert len(result.page_texts) == pages
    assert expected in result.markdown
