"""Every row of the shared EXPECTED.tsv; its pages and schedules are in tests of their own."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz import fuzz

from common.processing.base import Result, Transcriber
from common.processing.image.handler import handle as image
from common.processing.image.parameters import ImageParameters
from common.processing.media.handler import handle as media
from common.processing.media.parameters import MediaParameters
from common.processing.office.handler import handle as office
from common.processing.office.parameters import OfficeParameters
from common.processing.pdf.handler import handle as pdf
from common.processing.pdf.parameters import PdfParameters
from tests.servers.site import site
from tests.unit.processing.contexts import Desk as Folder
from tests.unit.processing.desk import Desk
from tests.unit.processing.media.test_handler import Counting, Moonshine
from tests.unit.processing.session.test_page import PAGES
from tests.unit.processing.session.test_schedule import REAL
from tests.unit.shared_files import FIXTURES, needs_shared

pytestmark = needs_shared
Row = dict[str, str]


def rows(*folders: str) -> list[Row]:
    if not FIXTURES.is_dir():
        return []
    with (FIXTURES / "EXPECTED.tsv").open(encoding="utf-8") as stream:
        found = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in found if row["file"].split("/")[0] in folders or not folders]


def count(row: Row, what: str) -> int | None:
    found = re.search(rf"(\d+) {what}", row["count"])
    return int(found[1]) if found else None


def phrases(row: Row) -> Iterator[str]:
    """What stands there literally; one row explains itself in words instead."""
    return (one for one in row["must contain"].split("; ") if not one.startswith("the title stands"))


def name_of(row: Row) -> str:
    return Path(row["file"]).name


def documents(path: Path, tmp_path: Path, language: str) -> Result:
    context = Folder(tmp_path / "desk").context()
    if path.suffix == ".pdf":
        options: dict[str, Any] = {"extraction_method": "auto", "language": language}
        return pdf(PdfParameters(file_path=str(path), **options), context)
    if path.suffix == ".png":
        return image(ImageParameters(file_path=str(path), language=language), context)
    return office(OfficeParameters(file_path=str(path)), context)


def test_no_row_is_left_out() -> None:
    elsewhere = {f"pages/{name}.html" for name in PAGES} | {f"schedules/{name}" for name in REAL}
    here = {row["file"] for row in rows("slides", "scans", "audio")}
    assert {row["file"] for row in rows()} == elsewhere | here


@pytest.mark.parametrize("row", rows("slides", "scans"), ids=name_of)
def test_slides_and_scans_give_what_is_expected(row: Row, tmp_path: Path) -> None:
    result = documents(FIXTURES / row["file"], tmp_path, row["language"])
    text = " ".join(re.sub(r"[\\*]", "", result.markdown).split())
    for phrase in (row["title"], *phrases(row)):
        assert phrase in text, phrase
    pages = count(row, "slides?") or count(row, "pages?")
    assert pages is None or len(result.page_texts) == pages
    assert result.warnings == ()


@pytest.mark.parametrize("row", rows("audio"), ids=name_of)
def test_recordings_give_what_is_expected(row: Row, tmp_path: Path) -> None:
    """The German clip is measured but not understood: no German model comes in a package."""
    ears: Transcriber = Moonshine() if row["language"] == "en" else Counting()
    with site(FIXTURES) as address:
        parameters = MediaParameters(url=f"{address}/{row['file']}", source_language=row["language"])
        result = media(parameters, Desk(tmp_path).context(transcriber=ears))
    if seconds := count(row, "s"):
        assert result.metadata["duration_seconds"] == pytest.approx(seconds, abs=1.5)
    if subtitles := count(row, "subtitles"):
        assert (result.metadata["segments"], result.metadata["transcript_from"]) == (subtitles, "captions")
    if isinstance(ears, Moonshine):
        said = re.sub(r"[^a-z ]", "", result.texts["video_transcript"].lower())
        assert fuzz.partial_ratio(row["must contain"], said) > 90  # the smallest of models, one letter wrong
