"""Broken, hostile and locked files get a clear answer, quickly."""

from __future__ import annotations

import csv
import re
from io import BytesIO
from pathlib import Path

import pypdf
import pytest

from common.errors import EncryptedFile, SecretaryError, UnsupportedFile
from common.processing.pdf.document import PageText, open_document
from tests.unit.processing.pdf.writer import Page, pdf_bytes
from tests.unit.shared_files import NASTY

pytestmark = pytest.mark.timeout(30)
GOOD = pdf_bytes(Page().text(50, 100, "Hello, world"))


def read(path: Path, content: bytes | None = None) -> list[PageText]:
    if content is not None:
        path.write_bytes(content)
    with open_document(path, max_pages=100) as document:
        return list(document.pages())


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"\xff\xd8\xff\xe0 a picture", "Expected a PDF, found image/jpeg"),
        (b"%PDF-1.7\n", "damaged"),
        (pdf_bytes(), "no pages"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(UnsupportedFile, match=says):
        read(tmp_path / "a.pdf", content)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_truncated_file_is_repaired_or_refused(tmp_path: Path, share: float) -> None:
    try:
        pages = read(tmp_path / "a.pdf", GOOD[: int(len(GOOD) * share)])
    except UnsupportedFile:
        return
    assert [page.text for page in pages] == ["Hello, world"]


def test_a_broken_cross_reference_table_is_repaired(tmp_path: Path) -> None:
    assert read(tmp_path / "a.pdf", GOOD.replace(b"startxref\n", b"startxref\n9"))[0].text == "Hello, world"


def encrypted(user_password: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=BytesIO(GOOD))
    writer.encrypt(user_password, "owner", algorithm="AES-256")
    target = BytesIO()
    writer.write(target)
    return target.getvalue()


def test_a_file_that_needs_a_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncryptedFile, match="password"):
        read(tmp_path / "a.pdf", encrypted("secret"))


def test_a_file_encrypted_with_an_empty_password_is_read(tmp_path: Path) -> None:
    assert read(tmp_path / "a.pdf", encrypted(""))[0].text == "Hello, world"


def test_a_page_tree_that_refers_to_itself_ends(tmp_path: Path) -> None:
    looped = re.sub(rb"/Count 1 /Kids \[(\d+ 0 R)\]", rb"/Count 2 /Kids [\1 2 0 R]", GOOD)
    assert looped != GOOD
    assert any(page.text == "Hello, world" for page in read(tmp_path / "a.pdf", looped))


def test_a_huge_page_is_read_and_rendered_small(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_bytes(Page(width=2_000_000, height=2_000_000).text(50, 100, "Hello, world")))
    with open_document(path, max_pages=1) as document:
        assert next(document.pages()).text == "Hello, world"
        picture = document.render(1, max_pixels=100_000, dpi=150)
    assert picture.width * picture.height <= 100_000


def test_more_pages_than_allowed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_bytes(Page(), Page(), Page()))
    with pytest.raises(UnsupportedFile, match="3 pages; at most 2"):
        open_document(path, max_pages=2)


def test_a_page_without_text_says_that_it_needs_ocr(tmp_path: Path) -> None:
    drawn, blank = read(tmp_path / "a.pdf", pdf_bytes(Page().area(10, 10, 500, 700), Page()))
    assert [(warning.code, warning.page) for warning in drawn.warnings] == [("OCR_NEEDED", 1)]
    assert (drawn.text, blank.text, blank.warnings) == ("", "", ())


def shared_cases() -> list[dict[str, str]]:
    table = NASTY / "nasty.tsv"
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.skipif(not NASTY.is_dir(), reason="the shared nasty files are not here")
@pytest.mark.parametrize("case", shared_cases(), ids=lambda case: case["file"])
def test_the_shared_nasty_files_answer_as_their_list_says(case: dict[str, str]) -> None:
    try:
        pages = read(NASTY / case["file"])
    except SecretaryError as error:
        assert error.code == case["expect"]
        return
    letters = sum(len("".join(page.markdown.split())) for page in pages)
    warned = any(warning.code == "OCR_NEEDED" for page in pages for warning in page.warnings)
    if case["file"] == "page_tree_loop.pdf":  # its list takes the text of the one sound page as well
        assert letters > 0
    elif case["expect"] == "ocr":
        assert letters == 0 and warned
    else:
        assert case["expect"] == "text" and letters >= int(case["min_chars"])
