"""Headings that size and weight do not show: in italics, in capitals, bold but smaller than the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from common.processing.pdf.blocks import Block, Kind
from common.processing.pdf.lists import is_bullet, marker

FaceKey = tuple[float, str, bool]  # size, typeface, and whether in capitals
MAX_LETTERS, MAX_LINES = 90, 2
TEXT_LETTERS = 60  # a heading stands above at least so much text
SMALLEST, LARGEST, BOLD_LARGEST = 0.85, 1.12, 0.94  # times the size of the text
MIN_HEADINGS = 2  # fewer are chance
SENTENCE_END = (".", ",", ";", "…", "!", ":")


def face_key(block: Block) -> FaceKey | None:
    """None where the words of a block differ."""
    faces = {
        word.font.name for line in block.lines for word in line.words if any(map(str.isalpha, word.text))
    }
    if len(faces) != 1:
        return None
    return round(block.size * 2) / 2, faces.pop(), is_capital(block.text)


def is_capital(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) > 3


def heading_faces(pages: Iterable[Sequence[Block]], plain: FaceKey) -> frozenset[FaceKey]:
    """Typefaces other than the `plain` one whose blocks nearly all stand as headings do, above text."""
    good: Counter[FaceKey] = Counter()
    bad: Counter[FaceKey] = Counter()
    for blocks in pages:
        for block, after in zip_longest(blocks, blocks[1:]):
            if not block.lines or block.kind is Kind.CODE:
                continue
            key = face_key(block)
            if key is not None and key != plain and is_near(block, key[0] / plain[0]):
                stands = is_short(block) and after is not None and is_text(after, plain)
                (good if stands else bad)[key] += 1
    return frozenset(key for key, count in good.items() if count >= MIN_HEADINGS and count > 2 * bad[key])


def is_near(block: Block, ratio: float) -> bool:
    """About as large as the text; what is bold and no smaller shows itself as a heading."""
    return SMALLEST <= ratio <= (BOLD_LARGEST if block.lines[0].bold else LARGEST)


def is_short(block: Block) -> bool:
    """Short, no sentence, and beginning as headings do."""
    text = block.text.strip()
    if len(text) > MAX_LETTERS or len(block.lines) > MAX_LINES or text.endswith(SENTENCE_END):
        return False
    mark = marker(text)
    first = next((letter for letter in text if letter.isalnum()), "")
    return not (mark and is_bullet(mark)) and (first.isupper() or first.isdigit())


def is_text(block: Block, plain: FaceKey) -> bool:
    """Text in the usual face, of some length."""
    if block.kind not in (Kind.PARAGRAPH, Kind.ITEM) or len(block.text) < TEXT_LETTERS:
        return False
    return all((round(line.size * 2) / 2, line.face) == plain[:2] for line in block.lines[:1])
