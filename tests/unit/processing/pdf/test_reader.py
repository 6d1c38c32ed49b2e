"""What is read from a page: words with places and fonts, lines, areas, links; always upright."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pypdfium2.raw as raw
import pytest

from common.processing.pdf.letters import bounded, clean
from common.processing.pdf.reader import read_page
from common.processing.pdf.spans import Box, PageSpans
from tests.unit.processing.pdf.writer import Page, write_pdf


def read(tmp_path: Path, page: Page) -> PageSpans:
    return first_page(write_pdf(tmp_path / "a.pdf", page))


def first_page(path: Path) -> PageSpans:
    document = pypdfium2.PdfDocument(path)
    handle = raw.FPDF_LoadPage(document, 0)
    try:
        return read_page(document, handle, 1)
    finally:
        raw.FPDF_ClosePage(handle)
        document.close()


def test_words_have_places_sizes_and_fonts(tmp_path: Path) -> None:
    spans = read(tmp_path, Page().text(50, 100, "plain text", size=12).text(50, 120, "strong", font="bold"))
    first, second, third = spans.words
    assert [word.text for word in spans.words] == ["plain", "text", "strong"]
    assert (first.x0, first.base, first.size) == pytest.approx((50, 100, 12), abs=0.5)
    assert second.x0 > first.x1 and third.base == pytest.approx(120, abs=0.5)
    assert (first.font.bold, third.font.bold) == (False, True)
    assert (first.starts_line, second.starts_line, third.starts_line) == (True, False, True)


def test_a_fixed_pitch_font_is_known_by_name(tmp_path: Path) -> None:
    assert read(tmp_path, Page().text(50, 100, "code", font="mono")).words[0].font.mono


@pytest.mark.parametrize(("angle", "x", "y"), [(90, 100, 700), (180, 500, 400), (270, 100, 100)])
def test_a_page_of_turned_text_is_turned_upright(tmp_path: Path, angle: int, x: float, y: float) -> None:
    spans = read(tmp_path, Page().text(x, y, "one two", angle=angle))
    first, second = spans.words
    assert first.upright and second.x0 > first.x1
    assert first.base == pytest.approx(second.base, abs=0.5)
    assert 0 <= first.x0 < second.x1 <= spans.width and 0 <= first.base <= spans.height
    assert (spans.width, spans.height) == ((600, 800) if angle == 180 else (800, 600))


def test_the_line_below_stays_below_when_the_page_is_turned(tmp_path: Path) -> None:
    page = Page().text(100, 700, "upper", angle=90).text(120, 700, "lower", angle=90)
    upper, lower = read(tmp_path, page).words
    assert lower.base - upper.base == pytest.approx(20, abs=0.5)


def test_a_single_turned_word_is_marked(tmp_path: Path) -> None:
    page = Page().lines(50, 100, "much more text", "than the one word").text(20, 400, "side", angle=90)
    assert [word.text for word in read(tmp_path, page).words if not word.upright] == ["side"]


def test_lines_and_areas_are_told_apart(tmp_path: Path) -> None:
    page = Page().line(50, 100, 250, 100).area(50, 200, 250, 240).area(50, 300, 250, 301)
    spans = read(tmp_path, page)
    assert spans.has_graphics
    assert [round(stroke.y0) for stroke in spans.strokes] in ([100, 300], [99, 300], [100, 299])
    (fill,) = spans.fills
    assert fill == pytest.approx(Box(50, 200, 250, 240), abs=1)


def test_white_areas_are_not_seen(tmp_path: Path) -> None:
    assert read(tmp_path, Page().area(50, 200, 250, 240, gray=1)).fills == []


def test_words_under_a_link_carry_it(tmp_path: Path) -> None:
    page = Page().text(50, 100, "see this page").link(70, 90, 95, 103, "https://example.org/a")
    links = {word.text: word.link for word in read(tmp_path, page).words}
    assert links == {"see": "", "this": "https://example.org/a", "page": ""}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a b"])
def test_unsafe_links_are_dropped(tmp_path: Path, url: str) -> None:
    escaped = url.replace("(", "\\(").replace(")", "\\)")
    page = Page().text(50, 100, "here").link(40, 80, 100, 110, escaped)
    assert read(tmp_path, page).words[0].link == ""


def test_text_objects_that_stand_apart_are_two_words(tmp_path: Path) -> None:
    page = Page().text(50, 100, "12").text(90, 100, "34")
    assert [word.text for word in read(tmp_path, page).words] == ["12", "34"]


@pytest.mark.parametrize(
    ("letters", "cleaned"),
    [
        ("di\x1berent", "different"),
        ("\x0cnal", "final"),
        ("plain", "plain"),
        ("soft\u00adhyphen", "softhyphen"),
        ("end\u00ad", "end-"),
        ("a\ufffe", "a-"),
        ("x\x07y", "xy"),
    ],
)
def test_letters_a_reader_should_not_get_are_cleaned(letters: str, cleaned: str) -> None:
    assert clean(letters) == cleaned


@pytest.mark.parametrize(
    ("value", "kept"), [(12.5, 12.5), (-3.0, -3.0), (float("nan"), 0.0), (float("inf"), 0.0), (1e30, 0.0)]
)
def test_numbers_beyond_all_pages_count_as_nothing(value: float, kept: float) -> None:
    assert bounded(value) == kept


def test_a_damaged_matrix_costs_the_place_and_not_the_text(tmp_path: Path) -> None:
    page = Page().text(50, 100, "fine")
    page.content.append(f"BT /regular 10 Tf {'9' * 60} 0 0 {'9' * 60} 10 10 Tm (far away) Tj ET")
    assert "fine" in [word.text for word in read(tmp_path, page).words]


BITMAP_FONT = """{number} 0 obj
<</Type/Font/Subtype/Type3/FontBBox[0 -2 8 {top}]/FontMatrix[.1 0 0 .1 0 0]/FirstChar 28/LastChar 97
/Widths[{widths}]/Encoding<</Type/Encoding/Differences[28/f 97/f]>>/CharProcs<</f 6 0 R>>>>
endobj
"""


def test_fonts_without_a_name_are_told_apart_and_their_ligatures_read(tmp_path: Path) -> None:
    content = "BT /A 10 Tf 50 700 Td (a\\034a) Tj /B 10 Tf 0 -50 Td (aaa) Tj ET"
    fonts = "".join(
        BITMAP_FONT.format(number=number, top=top, widths="8 " * 70) for number, top in ((4, 7), (5, 9))
    )
    path = tmp_path / "bitmap.pdf"
    path.write_text(
        "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
        "2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n"
        "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 7 0 R"
        "/Resources<</Font<</A 4 0 R/B 5 0 R>>>>>>\nendobj\n"
        f"{fonts}6 0 obj\n<</Length 28>>\nstream\n8 0 0 0 8 7 d1 0 0 8 7 re f  \nendstream\nendobj\n"
        f"7 0 obj\n<</Length {len(content)}>>\nstream\n{content}\nendstream\nendobj\n"
        "trailer\n<</Root 1 0 R>>\n"
    )
    first, second = first_page(path).words
    assert (first.text, second.text) == ("afia", "aaa")
    assert first.font.name and second.font.name and first.font.name != second.font.name
