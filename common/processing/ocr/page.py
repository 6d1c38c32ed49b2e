"""Reads one picture of a page: prepares it, turns it upright, and writes text and Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.processing.base import Warning
from common.processing.ocr import preparation, second_reader
from common.processing.ocr.language import choose
from common.processing.ocr.layout import as_markdown, as_text
from common.processing.ocr.recogniser import (
    OcrLine,
    Recognition,
    installed_languages,
    recognise,
    turn_to_upright,
)

if TYPE_CHECKING:
    from PIL.Image import Image

# Upright pages of sound scans reach 85 to 96, pages that lie on their side 25 to 45.
SURE_CONFIDENCE = 75.0
LOW_CONFIDENCE = 60.0
# Dust, pictures and ornaments come out as short lines of no confidence.
NOISE_CONFIDENCE = 25.0


@dataclass(frozen=True, kw_only=True)
class OcrPage:
    """What one page says."""

    text: str
    markdown: str
    confidence: float  # 0–100
    lines: tuple[OcrLine, ...] = ()
    size: tuple[int, int] = (0, 0)  # of the prepared picture, the space of the lines' boxes
    turned_degrees: int = 0  # counter-clockwise, to stand upright
    warnings: tuple[Warning, ...] = ()


def ocr_image(image: Image, *, language: str | None = None) -> OcrPage:
    """Read a picture. The caller has checked its pixel count; see `image/picture.py`."""
    chosen = choose(language, installed_languages())
    page = preparation.scale(preparation.flatten(image))
    prepared = _prepare(page)
    found = recognise(prepared, language=chosen.data_name)
    turned = 0
    if not found.upright or found.confidence < SURE_CONFIDENCE:
        prepared, found, turned = _turned(page, prepared, found, chosen.data_name)
    if found.confidence < LOW_CONFIDENCE and second_reader.is_slide(page) and second_reader.is_installed():
        prepared, found, turned = _second_reading(page, prepared, found, turned)
    lines = tuple(line for line in found.lines if not _is_noise(line))
    return OcrPage(
        text=as_text(lines),
        markdown=as_markdown(lines),
        confidence=found.confidence,
        lines=lines,
        size=prepared.size,
        turned_degrees=turned,
        warnings=tuple(filter(None, (chosen.warning, _confidence_warning(found, lines)))),
    )


def _prepare(page: Image) -> Image:
    return preparation.dark_on_white(preparation.straighten(page))


def _turned(
    page: Image, prepared: Image, found: Recognition, data_name: str
) -> tuple[Image, Recognition, int]:
    """The better of the page as it is and the page turned upright."""
    degrees = turn_to_upright(prepared)
    if degrees == 0:
        return prepared, found, 0
    upright = _prepare(page.rotate(degrees, expand=True))
    again = recognise(upright, language=data_name)
    if again.confidence + 1 < found.confidence:
        return prepared, found, 0
    return upright, again, degrees


def _second_reading(
    page: Image, prepared: Image, found: Recognition, turned: int
) -> tuple[Image, Recognition, int]:
    """Of two readers the one that is surer."""
    again = second_reader.read_again(page)
    return (page, again, 0) if again.confidence > found.confidence else (prepared, found, turned)


def _is_noise(line: OcrLine) -> bool:
    return line.confidence < NOISE_CONFIDENCE or not any(letter.isalnum() for letter in line.text)


def _confidence_warning(found: Recognition, lines: tuple[OcrLine, ...]) -> Warning | None:
    if not lines:
        return Warning(code="OCR_NO_TEXT", message="No text was found in the picture.")
    if found.confidence < LOW_CONFIDENCE:
        message = f"The picture is hard to read: confidence {found.confidence:.0f} of 100."
        return Warning(code="OCR_LOW_CONFIDENCE", message=message)
    return None
