"""Writes recognised lines as plain text and as Markdown with headings, lists and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from common.processing.ocr.recogniser import OcrLine

# How the recogniser reads a round or square bullet, besides the real ones.
_BULLET = re.compile(r"^(?:[•●○▪■□◦‣·»«¢*+©®°]|[-–—](?=\s))\s*(?=\S)|^[eo]\s+(?=[A-ZÄÖÜ])")
_NUMBERED = re.compile(r"^(?:\d{1,2}[.)]|\(?[a-z]\))\s")
_MARKDOWN_START = re.compile(r"^(?=[#>|]|[-+]\s|\d+[.)]\s*$)")

HEADING_RATIO = 1.3
TITLE_RATIO = 0.9  # of the highest line: that one is the title
LONGEST_HEADING = 90
# When much of a page is large, large is its normal size.
MOST_HEADINGS = 0.35
WIDEST_PITCH = 1.35
ITEM_INDENT = 0.4


def as_text(lines: Sequence[OcrLine]) -> str:
    """One line each, an empty line between blocks and paragraphs."""
    parts: list[str] = []
    for number, line in enumerate(lines):
        if number and (line.starts_block or line.starts_paragraph):
            parts.append("")
        parts.append(_with_bullet(line.text, "• "))
    return "\n".join(parts)


def as_markdown(lines: Sequence[OcrLine]) -> str:
    levels = _heading_levels(lines)
    pitch = _usual_pitch(lines)
    blocks: list[str] = []
    paragraph: list[OcrLine] = []
    for line, level in zip(lines, levels, strict=True):
        if paragraph and (level or not _continues(line, paragraph, pitch)):
            blocks.append(_paragraph(paragraph))
            paragraph = []
        if level:
            blocks.append(f"{'#' * level} {line.text}")
        else:
            paragraph.append(line)
    if paragraph:
        blocks.append(_paragraph(paragraph))
    return _join_blocks(blocks)


def join_lines(lines: Iterable[str]) -> str:
    """A paragraph of its lines; a word divided at the end of a line is made whole."""
    joined = ""
    for line in lines:
        if re.search(r"\w[-¬]$", joined) and line[:1].islower():
            joined = joined[:-1] + line
        else:
            joined = f"{joined} {line}" if joined else line
    return joined


def _paragraph(lines: Sequence[OcrLine]) -> str:
    text = _with_bullet(join_lines(line.text for line in lines), "- ")
    return text if text.startswith("- ") else _MARKDOWN_START.sub(r"\\", text)


def _continues(line: OcrLine, paragraph: Sequence[OcrLine], pitch: float) -> bool:
    """Whether a line belongs to the paragraph above it. The recogniser's own division is one voice:
    it splits before lines that are indented and joins lines that stand apart."""
    previous = paragraph[-1]
    distance = line.box[1] - previous.box[1]
    if _is_item(line.text) or not 0 < distance <= pitch * line.height * WIDEST_PITCH:
        return False
    if _is_item(paragraph[0].text):
        return line.box[0] > paragraph[0].box[0] + line.height * ITEM_INDENT
    if line.starts_block:
        return False
    return not line.starts_paragraph or (line.text[0].islower() and previous.text[-1] not in ".!?:")


def _usual_pitch(lines: Sequence[OcrLine]) -> float:
    """The distance of lines of one paragraph, in heights of a line."""
    steps = [
        (below.box[1] - above.box[1]) / below.height
        for above, below in pairwise(lines)
        if below.height > 0 and not below.starts_block and below.box[1] > above.box[1]
    ]
    return median(steps) if steps else 1.5


def _join_blocks(blocks: list[str]) -> str:
    text = ""
    for number, block in enumerate(blocks):
        both_items = block.startswith("- ") and number > 0 and blocks[number - 1].startswith("- ")
        separator = "" if number == 0 else "\n" if both_items else "\n\n"
        text += separator + block
    return text


def _is_item(text: str) -> bool:
    return _BULLET.match(text) is not None or _NUMBERED.match(text) is not None


def _with_bullet(text: str, bullet: str) -> str:
    return _BULLET.sub(bullet, text, count=1)


def _heading_levels(lines: Sequence[OcrLine]) -> list[int]:
    """0 for text, 1 for the largest lines, 2 for others clearly larger than the text."""
    letters = [line.height for line in lines for _ in line.text]
    if not letters:
        return []
    body = median(letters)
    large: list[bool] = []
    for line in lines:
        starts = line.starts_paragraph or line.starts_block or not large or large[-1]
        large.append(starts and _is_large(line, body))
    if sum(large) > max(2, MOST_HEADINGS * len(lines)):
        return [0] * len(lines)
    highest = max((line.height for line, is_large in zip(lines, large, strict=True) if is_large), default=0)
    return [
        (1 if line.height >= highest * TITLE_RATIO else 2) if is_large else 0
        for line, is_large in zip(lines, large, strict=True)
    ]


def _is_large(line: OcrLine, body: float) -> bool:
    return (
        line.height >= body * HEADING_RATIO
        and len(line.text) <= LONGEST_HEADING
        and line.confidence >= 60
        and not _BULLET.match(line.text)
        and not line.text[0].islower()
        and not line.text.endswith(".")
        and sum(letter.isalpha() for letter in line.text) >= 3
    )
