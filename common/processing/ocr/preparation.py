"""Makes a picture of a page easy to read: flat, upright lines, about 150 dpi, dark on white."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING

from common.processing.ocr.recogniser import RESOLUTION_DPI

if TYPE_CHECKING:
    from PIL.Image import Image

# Scanners say their resolution, cameras say 72 or nothing: only what a page can be is believed.
PLAUSIBLE_DPI = range(100, 1201)
PLAUSIBLE_PAGE_INCHES = (3.0, 24.0)
# Without a resolution the longer side decides: an A4 page of 150 dpi has 1754 pixels.
LONG_SIDE_PIXELS = range(1000, 2201)
LONGEST_SIDE_PIXELS = 5000

STEEPEST_SKEW_DEGREES = 12.0
SMALLEST_SKEW_DEGREES = 0.25
# The profile of a straightened page is clearly sharper; below this the skew is a guess.
SKEW_GAIN = 1.1
SKEW_PIXELS = 800

# The background is the median around a pixel, taken on a grid that is wider than high, since
# letters of a line leave gaps beside each other and coloured bands end above and below.
BACKGROUND_STEP = (16, 4)
COARSE_STEP = (32, 12)
BACKGROUND_WINDOW = 13
INK_FROM, INK_FULL = 16, 110
COLOURED_DISTANCE = 40
COLOURED_SHARE = 0.02


def flatten(image: Image) -> Image:
    """RGB or grey with 8 bits, turned as the camera says, transparency on white."""
    from PIL import ImageOps
    from PIL.Image import alpha_composite, new

    image = ImageOps.exif_transpose(image)
    if image.mode in ("1", "L"):
        return image.convert("L")
    if image.mode.startswith(("I", "F")):
        return _stretch_to_8_bits(image)
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        paper = new("RGBA", layer.size, "white")
        return alpha_composite(paper, layer).convert("RGB")
    return image.convert("RGB")


def scale(image: Image) -> Image:
    """About 150 dpi: more costs time and reads no better, less loses letters."""
    from PIL.Image import Resampling

    factor = _scale_factor(image)
    if 0.9 <= factor <= 1.1:
        return image
    size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
    return image.resize(size, Resampling.LANCZOS, reducing_gap=3.0)


def straighten(image: Image) -> Image:
    """Lines made horizontal, if the page is skewed by a few degrees."""
    from PIL.Image import Resampling

    degrees = skew_degrees(image)
    if abs(degrees) < SMALLEST_SKEW_DEGREES:
        return image
    return image.rotate(
        degrees,
        Resampling.BICUBIC,
        expand=True,
        fillcolor=_background(image, COARSE_STEP).getpixel((0, 0)),
    )


def dark_on_white(image: Image) -> Image:
    """A grey picture with dark letters. A white page stays as it is; where there are coloured bands,
    dark themes or shadows, each pixel becomes its distance from the background around it."""
    return _ink(image) if _is_coloured(image) else image.convert("L")


def skew_degrees(image: Image) -> float:
    """The turn that makes the rows of the page sharpest; positive is counter-clockwise."""
    from PIL.Image import Resampling

    small = image.convert("L")
    small.thumbnail((SKEW_PIXELS, SKEW_PIXELS), Resampling.BOX)
    ink = _ink(small, step=(7, 2)).point([255 - value for value in range(256)])
    level = _sharpness(ink, 0.0)
    coarse = max(_steps(0.0, STEEPEST_SKEW_DEGREES, 1.0), key=lambda angle: _sharpness(ink, angle))
    fine = max(_steps(coarse, 1.0, 0.25), key=lambda angle: _sharpness(ink, angle))
    return fine if _sharpness(ink, fine) > level * SKEW_GAIN else 0.0


def _steps(middle: float, reach: float, step: float) -> list[float]:
    count = round(reach / step)
    return [middle + number * step for number in range(-count, count + 1)]


def _sharpness(ink: Image, degrees: float) -> float:
    from PIL.Image import Resampling

    turned = ink.rotate(degrees, Resampling.NEAREST) if degrees else ink
    rows = turned.resize((1, turned.height), Resampling.BOX).tobytes()
    return float(sum((above - below) ** 2 for above, below in pairwise(rows)))


def _scale_factor(image: Image) -> float:
    long_side = max(image.size)
    dpi = stated_dpi(image)
    inches = long_side / dpi if dpi else 0.0
    if round(dpi) in PLAUSIBLE_DPI and PLAUSIBLE_PAGE_INCHES[0] <= inches <= PLAUSIBLE_PAGE_INCHES[1]:
        factor = RESOLUTION_DPI / dpi
    elif long_side < LONG_SIDE_PIXELS.start:
        factor = min(2.0, LONG_SIDE_PIXELS.start / long_side)
    else:
        factor = min(1.0, LONG_SIDE_PIXELS.stop / long_side)
    return min(float(factor), LONGEST_SIDE_PIXELS / long_side)


def stated_dpi(image: Image) -> float:
    """What the file says; a damaged header may hold anything."""
    try:
        dpi = float(image.info["dpi"][0])
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError):
        return 0.0
    return dpi if isfinite(dpi) else 0.0


def _stretch_to_8_bits(image: Image) -> Image:
    numbers = image.convert("F")
    low, high = (float(end) for end in numbers.getextrema() if not isinstance(end, tuple))
    factor = 255.0 / max(high - low, 1.0)
    return numbers.point(lambda value: value * factor - low * factor).convert("L")


def _background(image: Image, step: tuple[int, int] = BACKGROUND_STEP) -> Image:
    """The background, on a coarse grid. Sampled, not averaged: letters must not shine through."""
    from PIL import ImageFilter
    from PIL.Image import Resampling

    size = (max(1, image.width // step[0]), max(1, image.height // step[1]))
    return image.resize(size, Resampling.NEAREST).filter(ImageFilter.MedianFilter(BACKGROUND_WINDOW))


def _is_coloured(image: Image) -> bool:
    histogram = _background(image, COARSE_STEP).convert("L").histogram()
    dark = sum(histogram[: 256 - COLOURED_DISTANCE])
    return dark > COLOURED_SHARE * sum(histogram)


def _ink(image: Image, step: tuple[int, int] = BACKGROUND_STEP) -> Image:
    """Black where a pixel differs from the background in any colour, white where it does not."""
    from PIL import ImageChops
    from PIL.Image import Resampling

    background = _background(image, step).resize(image.size, Resampling.BILINEAR)
    bands = ImageChops.difference(image, background).split()
    distance = bands[0]
    for band in bands[1:]:
        distance = ImageChops.lighter(distance, band)
    return distance.point([255 - _ramp(value) for value in range(256)])


def _ramp(distance: int) -> int:
    return max(0, min(255, (distance - INK_FROM) * 255 // (INK_FULL - INK_FROM)))
