"""The job type `pdf`: every method that needs no model, its files, its cache and its progress."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from common.errors import LlmNotConfigured, TemplateError, UnsupportedFile
from common.processing.base import Context, HandOver, Limits, Result
from common.processing.ocr.parallel import AHEAD_PER_PROCESS
from common.processing.pages import scans
from common.processing.pdf.handler import handle
from common.processing.pdf.parameters import PdfParameters
from tests.unit.processing.contexts import Desk, RecordedProgress
from tests.unit.processing.documents import joined_pdf, scanned_pdf, text_pdf

TEXTS = ("The first page speaks.", "The second page answers.", "The third page is silent.")
SCAN = ("A scanned page has no text layer", "It is read by recognition only")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "desk")


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return text_pdf(tmp_path / "Our talk.pdf", TEXTS)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A text page, a scanned page, a text page."""
    words = text_pdf(tmp_path / "words.pdf", TEXTS[:1])
    scan = scanned_pdf(tmp_path / "scan.pdf", [SCAN])
    return joined_pdf(tmp_path / "mixed.pdf", [words, scan, words])


def run(path: Path, context: Context, /, **options: Any) -> Result:
    return handle(PdfParameters(file_path=str(path), **options), context)


def texts(result: Result, context: Context) -> list[str]:
    return [context.files.read(path).decode() for path in result.page_texts]


def test_native_text_comes_page_by_page(talk: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(talk, context)
    assert texts(result, context) == list(TEXTS)
    assert all(text in result.markdown for text in TEXTS)
    assert result.markdown_file == "Our_talk.md"
    assert context.files.read("Our_talk.md").decode() == result.markdown
    assert result.page_texts == ("pages/page_001.txt", "pages/page_002.txt", "pages/page_003.txt")
    assert (result.warnings, result.assets, result.archive_name) == ((), (), "Our_talk.zip")
    assert result.metadata["pages"] == 3
    assert result.target_dir is not None
    assert result.target_dir.endswith(f"{result.metadata['sha256']}/native")


def test_progress_has_the_steps_that_clients_know(talk: Path, desk: Desk) -> None:
    progress = RecordedProgress()
    run(talk, desk.context(progress=progress))
    steps = [step for step, _ in progress.steps]
    assert steps[:2] == ["initializing", "downloading_or_opening"]
    assert [step for step in steps if ":" in step] == [f"processing_pages:{number}/3" for number in (1, 2, 3)]
    assert steps[-1] == "postprocessing"
    percents = [percent for _, percent in progress.steps]
    assert percents == sorted(percents)
    assert (percents[0], percents[1], percents[2], percents[-1]) == (0, 5, 10, 98)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(2, None, [2, 3]), (None, 2, [1, 2]), (2, 2, [2]), (3, 99, [3])],
)
def test_a_range_of_pages_is_read(
    talk: Path, desk: Desk, first: int | None, last: int | None, expected: list[int]
) -> None:
    context = desk.context()
    result = run(talk, context, page_start=first, page_end=last)
    assert texts(result, context) == [TEXTS[number - 1] for number in expected]
    assert result.page_texts == tuple(f"pages/page_{number:03}.txt" for number in expected)


def test_a_range_outside_the_document_is_refused(talk: Path, desk: Desk) -> None:
    with pytest.raises(UnsupportedFile, match=r"page_start is 4, but the document has only 3"):
        run(talk, desk.context(), page_start=4)


def test_a_second_job_reads_nothing_again(talk: Path, desk: Desk) -> None:
    first = run(talk, desk.context())
    again = desk.context()
    second = run(talk, again)
    assert (first.is_from_cache, second.is_from_cache) == (False, True)
    assert second.markdown == first.markdown
    assert texts(second, again) == list(TEXTS)


def test_every_method_has_its_own_cache(mixed: Path, desk: Desk) -> None:
    run(mixed, desk.context())
    result = run(mixed, desk.context(), extraction_method="auto")
    assert not result.is_from_cache
    assert desk.cached("native")["page_002.txt"] == b""
    assert b"recognition" in desk.cached("auto")["page_002.txt"]


def test_only_missing_pages_are_read(talk: Path, desk: Desk) -> None:
    run(talk, desk.context(), page_end=2)
    for cache in desk.caches.values():
        cache.write("page_001.json", cache.read("page_001.json").replace(b"first", b"1st"))
    result = run(talk, desk.context())
    assert "The 1st page speaks." in result.markdown
    assert TEXTS[2] in result.markdown
    assert not result.is_from_cache


@pytest.mark.parametrize("options", [{"force_overwrite": True}, {"use_cache": False}])
def test_a_job_can_insist_on_reading_anew(talk: Path, desk: Desk, options: dict[str, bool]) -> None:
    run(talk, desk.context())
    for cache in desk.caches.values():
        cache.write("page_001.json", cache.read("page_001.json").replace(b"first", b"1st"))
    result = run(talk, desk.context(), **options)
    assert "The first page speaks." in result.markdown
    assert not result.is_from_cache


def test_pages_of_another_version_are_read_again(talk: Path, desk: Desk) -> None:
    run(talk, desk.context())
    for cache in desk.caches.values():
        record = json.loads(cache.read("page_001.json")) | {"version": "0.0.0", "markdown": "old"}
        cache.write("page_001.json", json.dumps(record).encode())
    assert "old" not in run(talk, desk.context()).markdown


def test_a_short_run_hands_over_and_the_next_goes_on(talk: Path, desk: Desk) -> None:
    short = RecordedProgress(seconds=lambda: 0)
    with pytest.raises(HandOver) as caught:
        run(talk, desk.context(progress=short), force_overwrite=True)
    assert caught.value.checkpoint["next_page"] == 2
    assert "page_001.txt" in desk.cached("native")
    assert "page_002.txt" not in desk.cached("native")

    checkpoint = caught.value.checkpoint
    with pytest.raises(HandOver) as caught:
        run(talk, desk.context(progress=short, checkpoint=checkpoint), force_overwrite=True)
    assert caught.value.checkpoint["next_page"] == 3
    last = desk.context(progress=short, checkpoint=caught.value.checkpoint)
    assert texts(run(talk, last, force_overwrite=True), last) == list(TEXTS)


def test_pages_that_were_begun_are_kept_when_time_gets_short(
    tmp_path: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes read ahead: what they have read is delivered before the run ends."""
    monkeypatch.setattr(scans, "available_cores", lambda: 2)
    sheets = 2 * AHEAD_PER_PROCESS + 2  # more than may be begun before the first is delivered
    scan = scanned_pdf(
        tmp_path / "scan.pdf", [(f"Sheet number {number}",) for number in range(1, sheets + 1)]
    )
    progress = RecordedProgress(seconds=lambda: 0 if "page_001.txt" in desk.cached("ocr-en") else 100)
    with pytest.raises(HandOver) as caught:
        run(scan, desk.context(progress=progress), extraction_method="ocr", language="en")
    next_page = caught.value.checkpoint["next_page"]
    kept = [name for name in desk.cached("ocr-en") if name.endswith(".txt")]
    assert 1 < next_page <= sheets
    assert sorted(kept) == [f"page_{number:03}.txt" for number in range(1, next_page)]
    result = run(
        scan, desk.context(checkpoint=caught.value.checkpoint), extraction_method="ocr", language="en"
    )
    assert [f"Sheet number {number}" in result.markdown for number in range(1, sheets + 1)] == [True] * sheets


def test_native_says_where_ocr_is_needed(mixed: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(mixed, context)
    assert texts(result, context)[1] == ""
    assert [(warning.code, warning.page) for warning in result.warnings] == [("OCR_NEEDED", 2)]


def test_auto_reads_only_those_pages_by_ocr(mixed: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(mixed, context, extraction_method="auto", language="en")
    first, second, third = texts(result, context)
    assert (first, third) == (TEXTS[0], TEXTS[0])
    assert second.split() == " ".join(SCAN).split()
    assert result.warnings == ()
    confidence = result.metadata["page_confidence"]
    assert confidence[0] is None
    assert confidence[1] > 80
    assert "tesserocr" in result.metadata["engines"]


def test_ocr_reads_every_page(mixed: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(mixed, context, extraction_method="ocr", language="en")
    assert [text.splitlines()[0] for text in texts(result, context)] == [TEXTS[0], SCAN[0], TEXTS[0]]
    assert None not in result.metadata["page_confidence"]
    assert result.metadata["ocr_confidence"] > 80
    assert "page_001.txt" in desk.cached("ocr-en")


def test_both_adds_what_only_ocr_can_see(tmp_path: Path, desk: Desk) -> None:
    """A page with a text layer over a picture that shows more."""
    words = text_pdf(tmp_path / "words.pdf", TEXTS[:1])
    picture = scanned_pdf(tmp_path / "scan.pdf", [SCAN])
    both = _overlaid(tmp_path / "both.pdf", words, picture)
    result = run(both, desk.context(), extraction_method="both", language="en")
    assert TEXTS[0] in result.markdown
    assert SCAN[0] in result.markdown
    assert result.markdown.count("first page speaks") == 1


def test_preview_makes_small_pictures_and_no_text(talk: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(talk, context, extraction_method="preview")
    assert result.page_texts == ()
    assert result.assets == tuple(f"previews/preview_{number:03}.jpg" for number in (1, 2, 3))
    for path in result.assets:
        assert max(Image.open(io.BytesIO(context.files.read(path))).size) <= 480
        assert path in result.markdown
    with zipfile.ZipFile(io.BytesIO(context.files.read("previews.zip"))) as archive:
        assert archive.namelist() == ["preview_001.jpg", "preview_002.jpg", "preview_003.jpg"]
    assert "previews.zip" in desk.cached("preview")
    assert run(talk, desk.context(), extraction_method="preview").is_from_cache


def test_preview_and_native_makes_both(talk: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(talk, context, extraction_method="preview_and_native", page_start=2)
    assert texts(result, context) == list(TEXTS[1:])
    assert result.assets == ("previews/preview_002.jpg", "previews/preview_003.jpg")
    assert "previews.zip" not in desk.cached("preview_and_native"), "a part is not kept as the whole"
    assert len(zipfile.ZipFile(io.BytesIO(context.files.read("previews.zip"))).namelist()) == 2


def test_images_are_drawn_once_and_name_the_archive(talk: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(talk, context, include_images=True)
    assert result.assets == tuple(f"images/image_{number:03}.jpg" for number in (1, 2, 3))
    picture = Image.open(io.BytesIO(context.files.read(result.assets[0])))
    assert picture.format == "JPEG"
    assert picture.size == (1240, 1755)
    assert result.archive_name is not None
    assert result.archive_name.startswith("Our_talk_images_2")
    assert not result.is_from_cache
    assert run(talk, desk.context(), include_images=True).is_from_cache


@pytest.mark.parametrize("method", ["native", "preview", "ocr", "both"])
def test_a_page_that_cannot_be_drawn_spoils_no_other(tmp_path: Path, desk: Desk, method: str) -> None:
    path = text_pdf(tmp_path / "torn.pdf", TEXTS)
    path.write_bytes(path.read_bytes().replace(b"/Kids [4 0 R 6 0 R", b"/Kids [4 0 R 9 0 R"))
    result = run(path, desk.context(), extraction_method=method, include_images=True, language="en")
    assert [name for name in result.assets if name.startswith("images/")] == [
        "images/image_001.jpg",
        "images/image_003.jpg",
    ]
    assert {(warning.code, warning.page) for warning in result.warnings} == {("PAGE_NOT_DRAWN", 2)}


def test_no_archive_unless_wanted(talk: Path, desk: Desk) -> None:
    assert run(talk, desk.context(), create_archive=False).archive_name is None


def test_a_model_method_without_a_model_says_how_to_get_one(talk: Path, desk: Desk) -> None:
    with pytest.raises(LlmNotConfigured, match="OPENAI_API_KEY"):
        run(talk, desk.context(), extraction_method="llm")


def test_a_template_is_looked_for_before_the_work(talk: Path, desk: Desk) -> None:
    progress = RecordedProgress()
    with pytest.raises(TemplateError, match="NoSuchTemplate"):
        run(talk, desk.context(progress=progress), template="NoSuchTemplate")
    assert len(progress.steps) == 1


def test_a_template_without_a_model_delivers_and_says_what_is_missing(talk: Path, desk: Desk) -> None:
    context = desk.context()
    result = run(talk, context, template="PdfAnalysis", context={"title": "Our own title"})
    assert "LLM_NOT_CONFIGURED" in [warning.code for warning in result.warnings]
    assert "Our own title" in result.markdown
    assert texts(result, context) == list(TEXTS)


def test_too_many_pages_are_refused(talk: Path, tmp_path: Path) -> None:
    small = Desk(tmp_path / "small", limits=Limits(pages=2))
    with pytest.raises(UnsupportedFile, match="3 pages; at most 2"):
        run(talk, small.context())


def test_a_picture_is_sent_to_its_own_job_type(tmp_path: Path, desk: Desk) -> None:
    path = tmp_path / "photo.pdf"
    Image.new("RGB", (20, 20)).save(path, "JPEG")
    with pytest.raises(UnsupportedFile, match="imageocr"):
        run(path, desk.context())


def _overlaid(path: Path, below: Path, above: Path) -> Path:
    import pypdf

    writer = pypdf.PdfWriter(clone_from=below)
    writer.pages[0].merge_page(pypdf.PdfReader(above).pages[0])
    writer.write(path)
    return path
