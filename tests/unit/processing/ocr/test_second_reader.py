"""Slides that Tesseract cannot read are read by rapidocr, where it is installed."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw, ImageFont

from common.processing.ocr import second_reader
from common.processing.ocr.page import ocr_image

WORDS = ("Why paper survives", "It needs no power", "It can be read in 500 years")


def textured(size: tuple[int, int] = (1280, 720)) -> Image.Image:
    """White and yellow words on a rough blue ground."""
    rough = Image.effect_noise(size, 120).convert("RGB")
    picture = Image.blend(rough, Image.new("RGB", size, (40, 90, 160)), 0.5)
    draw = ImageDraw.Draw(picture)
    draw.text((80, 60), WORDS[0], font=ImageFont.load_default(64), fill="white")
    for place, line in enumerate(WORDS[1:]):
        draw.text((120, 220 + 110 * place), line, font=ImageFont.load_default(40), fill=(255, 230, 120))
    return picture


@pytest.mark.skipif(not second_reader.is_installed(), reason="the extra `rapidocr` is not installed")
def test_a_slide_that_is_hard_to_read_is_read_again() -> None:
    page = ocr_image(textured(), language="en")
    assert page.text.split("\n") == [WORDS[0], "", WORDS[1], "", WORDS[2]]
    assert page.markdown.startswith(f"# {WORDS[0]}\n")
    assert page.confidence > 90
    assert page.warnings == ()
    assert page.size == (1280, 720)


@pytest.mark.skipif(not second_reader.is_installed(), reason="the extra `rapidocr` is not installed")
def test_a_picture_without_words_has_none_for_both() -> None:
    page = ocr_image(Image.new("RGB", (800, 600), (40, 90, 160)), language="en")
    assert (page.text, [warning.code for warning in page.warnings]) == ("", ["OCR_NO_TEXT"])


def test_without_it_the_slide_is_delivered_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_reader, "is_installed", lambda: False)
    page = ocr_image(textured(), language="en")
    assert {warning.code for warning in page.warnings} <= {"OCR_NO_TEXT", "OCR_LOW_CONFIDENCE"}
    assert page.warnings
