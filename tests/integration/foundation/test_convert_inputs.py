"""`secretary convert` takes every kind of input, and tells what is wrong with the rest."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from common.client.convert import Converted, convert
from common.settings import load_settings
from tests.integration.foundation.test_convert import SAMPLES, secretary
from tests.unit.processing.documents import scanned_pdf
from tests.unit.processing.office.samples import needs_libreoffice, presentation, workbook
from tests.unit.processing.pictures import LETTER, draw_page
from tests.unit.shared_files import NASTY, needs_shared


def converted(path: Path, out: Path, /, **options: Any) -> Converted:
    out.mkdir(exist_ok=True)
    return convert(path, "result", out, options, load_settings({}))


def text(done: Converted) -> str:
    assert done.error is None, done.error
    return Path(done.output or "").read_text()


def test_the_bytes_decide_how_a_file_is_read(tmp_path: Path) -> None:
    draw_page(LETTER[:3], size=(1000, 420)).save(tmp_path / "photo.png")
    presentation(tmp_path / "talk.pptx")
    workbook(tmp_path / "book.xlsx")
    (tmp_path / "no_suffix").write_bytes((SAMPLES / "report.pdf").read_bytes())
    inputs = [tmp_path / name for name in ("photo.png", "talk.pptx", "book.xlsx", "no_suffix")]

    done = secretary("convert", *inputs, "--out", tmp_path / "out", "--json")

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["error"] for line in lines] == [None] * 4
    assert [line["pages"] for line in lines] == [1, 3, 2, 1]
    found = [Path(line["output"]).read_text() for line in lines]
    assert [expected in one for expected, one in zip(
        (LETTER[1], "Three reasons", "| paper | 12.5 |", "Jahresbericht"), found, strict=True
    )] == [True] * 4  # fmt: skip


def test_a_scan_says_that_ocr_is_needed_and_how_it_reads_then(tmp_path: Path) -> None:
    path = scanned_pdf(tmp_path / "scan.pdf", [LETTER[:3]])

    plain = secretary("convert", path, "--out", tmp_path / "out")
    read = secretary("convert", path, "--out", tmp_path / "read", "--method", "auto", "--language", "en")

    assert (plain.returncode, read.returncode) == (0, 0)
    assert "can only be read by OCR" in plain.stderr
    assert (tmp_path / "out" / "scan.md").read_text().strip() == ""
    assert LETTER[1] in (tmp_path / "read" / "scan.md").read_text()


@needs_libreoffice
def test_a_method_makes_a_pdf_of_an_office_document_first(tmp_path: Path) -> None:
    done = converted(presentation(tmp_path / "talk.pptx"), tmp_path / "out", extraction_method="native")
    assert done.pages == 3
    assert "It needs no power" in text(done)


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("photo.pdf", {}, "UNSUPPORTED_FILE"),
        ("photo.docx", {}, "UNSUPPORTED_FILE"),
        ("photo.png", {"extraction_method": "native"}, "VALIDATION_FAILED"),
        ("photo.png", {"extraction_method": "llm"}, "LLM_NOT_CONFIGURED"),
        ("missing.png", {}, "DOWNLOAD_FAILED"),
    ],
)
def test_a_wrong_name_or_method_is_told(
    tmp_path: Path, name: str, options: dict[str, str], code: str
) -> None:
    if not name.startswith("missing"):
        draw_page(LETTER[:1], size=(600, 200)).save(tmp_path / name, "PNG")
    done = converted(tmp_path / name, tmp_path / "out", **options)
    assert done.error is not None
    assert done.error["code"] == code


def nasty_rows() -> list[dict[str, str]]:
    table = NASTY / "nasty.tsv"
    return list(csv.DictReader(table.read_text().splitlines(), delimiter="\t")) if table.is_file() else []


@needs_shared
@pytest.mark.parametrize("row", nasty_rows(), ids=lambda row: row["file"])
def test_the_nasty_files_answer_as_their_list_says(tmp_path: Path, row: dict[str, str]) -> None:
    done = converted(NASTY / row["file"], tmp_path / "out")
    if row["expect"] in ("ENCRYPTED_FILE", "UNSUPPORTED_FILE"):
        if row["file"] in ("no_root.pdf", "page_tree_loop.pdf") and done.error is None:
            return  # the list welcomes text from these two
        assert (done.error or {}).get("code") == row["expect"]
    elif row["expect"] == "ocr":
        assert text(done).strip() == ""
        assert "OCR" in " ".join(done.warnings)
    else:
        assert len(text(done).strip()) >= int(row["min_chars"] or 0)
