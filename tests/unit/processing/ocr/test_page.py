"""Pages, slides and scans are read, whichever way they lie and whatever their colours."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein

from common.processing.ocr import ocr_image
from tests.unit.processing.documents import text_pdf
from tests.unit.processing.pictures import LETTER, Theme, draw_page, draw_slide
from tests.unit.shared_files import FIXTURES, NASTY, needs_shared


def character_errors(expected: str, found: str) -> float:
    expected, found = (" ".join(text.replace("• ", "").split()) for text in (expected, found))
    return Levenshtein.distance(expected, found) / len(expected)


def rendered(path: Path) -> Image.Image:
    if path.suffix != ".pdf":
        return Image.open(path)
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        page: Image.Image = document[0].render(scale=150 / 72).to_pil()
    return page


def test_a_clean_page_is_read_without_errors() -> None:
    page = ocr_image(draw_page(), language="en")
    assert character_errors("\n".join(LETTER), page.text) < 0.01
    assert page.confidence > 85
    assert page.warnings == ()


BRIEF = (
    "Protokoll der Vorbereitungssitzung",
    "Größere Räume müssen früher gebucht werden.",
    "Die Übersetzung kostet 1.850,00 Euro je Tag.",
    "Frau Süß und Herr Größler prüfen die Verträge.",
    "Alle Vorträge außer zweien werden aufgezeichnet.",
)


@pytest.mark.parametrize("language", ["de", None])
def test_a_german_page_is_read_without_errors(tmp_path: Path, language: str | None) -> None:
    """Drawn by PDFium, whose font has umlauts; Pillow's has none."""
    drawn = rendered(text_pdf(tmp_path / "brief.pdf", ["\n".join(BRIEF)]))
    page = ocr_image(drawn, language=language)
    assert character_errors("\n".join(BRIEF), page.text) <= 0.01
    assert page.confidence > 85


def test_lines_tell_where_they_stand() -> None:
    page = ocr_image(draw_page(), language="en")
    tops = [line.box[1] for line in page.lines]
    assert len(tops) == len(LETTER)
    assert tops == sorted(tops)
    assert all(90 <= line.box[0] <= 115 for line in page.lines)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_page_is_read_upright(degrees: int) -> None:
    page = ocr_image(draw_page().rotate(degrees, expand=True), language="en")
    assert character_errors("\n".join(LETTER), page.text) < 0.01
    assert page.turned_degrees == 360 - degrees


@pytest.mark.parametrize("degrees", [-7.5, -2, 3.5, 9])
def test_a_skewed_page_is_straightened(degrees: float) -> None:
    skewed = draw_page().rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    page = ocr_image(skewed, language="en")
    assert character_errors("\n".join(LETTER), page.text) < 0.02
    bottoms = [line.box[3] - line.box[1] for line in page.lines]
    assert max(bottoms) < 60


def test_the_orientation_of_the_camera_is_followed() -> None:
    turned = draw_page().rotate(90, expand=True)
    turned.getexif()[0x0112] = 6
    page = ocr_image(turned, language="en")
    assert character_errors("\n".join(LETTER), page.text) < 0.01
    assert page.turned_degrees == 0


THEMES = {
    "white on teal": Theme(band="#00708c", title="white"),
    "white on orange": Theme(band="#f08c14", title="white"),
    "white on light blue": Theme(band="#78b4e6", title="white"),
    "yellow on red, grey text": Theme(band="#c81e1e", title="#ffdc50", text="#555555"),
    "a dark theme with a band": Theme(paper="#192341", band="#00708c", title="white", text="#e6e6e6"),
    "a yellow slide": Theme(paper="#ffd23c", band="#dc3c3c", title="white"),
    "red on blue of equal brightness": Theme(paper="#3c3cc8", title="#dc463c", text="white"),
}


@pytest.mark.parametrize("name", THEMES)
def test_titles_on_coloured_bands_are_found(name: str) -> None:
    page = ocr_image(draw_slide(THEMES[name]), language="en")
    expected = "\n".join(("Why paper survives", *LETTER[1:4]))
    assert character_errors(expected, page.text) < 0.01
    assert page.markdown.startswith("# Why paper survives\n")


def test_a_blank_page_says_that_there_is_no_text() -> None:
    page = ocr_image(Image.new("RGB", (800, 600), "white"), language="en")
    assert (page.text, page.markdown) == ("", "")
    assert [warning.code for warning in page.warnings] == ["OCR_NO_TEXT"]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "I", "F", "YCbCr", "PA"])
def test_every_colour_mode_is_read(mode: str) -> None:
    grey = draw_page(LETTER[:3], size=(1000, 400)).convert("L")
    picture = grey.convert(mode) if mode != "I;16" else grey.convert("I").convert("I;16")
    assert character_errors("\n".join(LETTER[:3]), ocr_image(picture, language="en").text) < 0.01


@pytest.mark.parametrize("size", [(1, 1), (1, 4000), (4000, 1), (3, 3), (40, 40)])
def test_odd_sizes_do_no_harm(size: tuple[int, int]) -> None:
    assert ocr_image(Image.new("RGB", size, "gray"), language="en").text == ""


def test_an_unknown_language_is_read_all_the_same_and_named() -> None:
    page = ocr_image(draw_page(LETTER[:3]), language="tlh")
    assert "committee" in page.text
    assert [warning.code for warning in page.warnings] == ["OCR_LANGUAGE_MISSING"]


def test_a_high_resolution_is_scaled_down() -> None:
    scan = draw_page(size=(1240, 1754)).resize((4960, 7016))
    scan.info["dpi"] = (600, 600)
    page = ocr_image(scan, language="en")
    assert max(page.size) < 2000
    assert character_errors("\n".join(LETTER), page.text) < 0.01


@pytest.mark.parametrize("dpi", [(0, 0), (float("nan"), 1), (), None, ("x", "y"), (1e308, 1)])
def test_a_senseless_resolution_is_ignored(dpi: object) -> None:
    picture = draw_page(LETTER[:3])
    picture.info["dpi"] = dpi
    assert "committee" in ocr_image(picture, language="en").text


@needs_shared
@pytest.mark.parametrize(
    ("name", "language", "at_most"),
    [
        ("protokoll_de.pdf", "de", 0.01),
        ("minutes_en.png", "en", 0.01),
        ("phototest_en.png", "en", 0.01),
        ("folie_foto_de.png", "de", 0.01),
        ("protokoll_de.pdf", None, 0.01),
        ("minutes_en.png", None, 0.01),
    ],
)
def test_the_scans_are_read_with_at_most_one_per_cent_of_errors(
    name: str, language: str | None, at_most: float
) -> None:
    path = FIXTURES / "scans" / name
    page = ocr_image(rendered(path), language=language)
    assert character_errors(path.with_suffix(".txt").read_text(), page.text) <= at_most


@needs_shared
def test_the_title_on_the_coloured_band_becomes_the_heading() -> None:
    page = ocr_image(rendered(FIXTURES / "scans" / "folie_foto_de.png"), language="de")
    assert page.markdown.startswith("# Warum Papier überlebt\n")


@needs_shared
@pytest.mark.parametrize("name", ["scan_upright.pdf", "scan_rotated_skewed.pdf"])
def test_the_nasty_scans_give_their_text(name: str) -> None:
    assert len(ocr_image(rendered(NASTY / name), language="en").text) >= 3000
