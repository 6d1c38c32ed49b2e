"""Reads slides again that Tesseract is unsure of, by rapidocr, where that extra is installed: it finds words
on pictures and textures, but mixes up columns, so pages of text are not its business."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.processing.ocr.recogniser import OcrLine, Recognition

if TYPE_CHECKING:
    from PIL.Image import Image

BLOCK_GAP = 0.8  # of a line's height: more space between two lines starts a new block
SMALLEST_PIXELS = 100  # below are icons
SIZE_CHANGE = 1.3  # a title and the text below it


def is_installed() -> bool:
    return (
        importlib.util.find_spec("rapidocr") is not None
        and importlib.util.find_spec("onnxruntime") is not None
    )


def is_slide(image: Image) -> bool:
    return image.width > image.height >= SMALLEST_PIXELS


def read_again(image: Image) -> Recognition:
    """`image` as it is: colours are no trouble here, and what prepares a page for Tesseract loses them."""
    import numpy

    found = _engine()(numpy.asarray(image.convert("RGB"))[:, :, ::-1])
    boxes = [] if found.boxes is None else [_bounds(box) for box in found.boxes]
    read = [
        (box, text.strip(), float(score) * 100)
        for box, text, score in zip(boxes, found.txts or (), found.scores or (), strict=True)
        if text.strip()
    ]
    lines = _lines(sorted(read, key=lambda one: (one[0][1], one[0][0])))
    letters = sum(len(line.text) for line in lines)
    sure = sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0
    return Recognition(lines=tuple(lines), confidence=sure, upright=True)


def _lines(read: Sequence[tuple[tuple[int, int, int, int], str, float]]) -> list[OcrLine]:
    lines: list[OcrLine] = []
    for box, text, confidence in read:
        height = float(box[3] - box[1])
        starts = not lines or _is_apart(lines[-1], box, height)
        lines.append(
            OcrLine(
                text=text,
                box=box,
                confidence=confidence,
                height=height,
                starts_block=starts,
                starts_paragraph=starts,
            )
        )
    return lines


def _is_apart(above: OcrLine, box: tuple[int, int, int, int], height: float) -> bool:
    gap = box[1] - above.box[3]
    smaller, larger = sorted((above.height, height))
    return gap > BLOCK_GAP * smaller or larger > SIZE_CHANGE * smaller


def _bounds(corners: Any) -> tuple[int, int, int, int]:
    across, down = ([int(point[axis]) for point in corners] for axis in (0, 1))
    return min(across), min(down), max(across), max(down)


@lru_cache(maxsize=1)
def _engine() -> Any:
    """With the weights inside the package, named by path: by themselves the engine would fetch others."""
    from rapidocr import RapidOCR

    package = importlib.util.find_spec("rapidocr")
    assert package is not None and package.origin is not None  # noqa: S101 - asked before
    models = Path(package.origin).parent / "models"
    parts = {part: next(models.glob(f"*_{part.lower()}_*.onnx")) for part in ("Det", "Cls", "Rec")}
    paths = {f"{part}.model_path": str(path) for part, path in parts.items()}
    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 1}  # pages run in parallel processes
    return RapidOCR(params=paths | threads | {"Global.log_level": "critical"})
