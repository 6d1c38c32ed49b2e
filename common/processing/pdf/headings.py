"""Tells headings from text by size, weight and form, and gives them levels over the whole document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from common.processing.pdf.blocks import LEADERS, Block, Kind
from common.processing.pdf.faces import FaceKey, face_key, is_short
from common.processing.pdf.lines import Line, words_text
from common.processing.pdf.lists import is_bullet, marker

LARGER = 1.12  # times the size of the body text
LARGER_FACE = 1.05  # the same for another typeface
MAX_LETTERS, MAX_LINES = 200, 4
MAX_BOLD_LETTERS, MAX_BOLD_LINES = 120, 2
CAPTION = re.compile(
    r"(?:table|figure|fig\.|tab\.|tabelle|abbildung|abb\.|exhibit|chart|source|quelle|note)\s*[\d:.]", re.I
)
NUMBERED = re.compile(
    r"(?:(?:chapter|section|part|kapitel|teil|appendix|anhang)\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S", re.I
)
SENTENCE_END = (".", ",", ";", "…")
CELL_GAP = 1.4  # font sizes of white inside a line that part cells: more than follows a number
LABEL = re.compile(
    r"(?:\w{1,9}\.?\s?|§+\s?)?(?:\d{1,3}(?:\.\d{1,3})*\w?|[A-Z](?:\.\d{1,2})*|[IVXLC]{1,6})[.):]?"
)

StyleKey = tuple[float, bool]  # size, and whether it is bold
LevelKey = tuple[float, bool, int]  # the same, and the depth of its number


@dataclass(frozen=True, slots=True)
class Styles:
    """What is usual in a document: the size of its text, and which styles its headings have."""

    body_size: float = 10.0
    body_bold: bool = False
    body_face: str = ""
    tagged: bool = False  # its author has tagged the headings
    title_level: int = 0  # of slides, by their looks; 0 for any other document
    typed: bool = False  # set in a font of fixed pitch throughout
    plain: frozenset[StyleKey] = frozenset()  # larger or bolder than the text, yet used for text
    levels: Mapping[LevelKey, int] = field(default_factory=dict)
    faces: frozenset[FaceKey] = frozenset()  # of headings that are neither larger nor bolder
    lasting: frozenset[StyleKey] | None = None  # of headings beyond the front of the first page


def body_style(lines: Iterable[Line]) -> tuple[float, bool]:
    """The size and weight in which most letters are set."""
    count: Counter[StyleKey] = Counter()
    for line in lines:
        count[round(line.size * 2) / 2, line.bold] += len(line.text)
    if not count:
        return 10.0, False
    sizes: Counter[float] = Counter()
    for (size, _), letters in count.items():
        sizes[size] += letters
    size = sizes.most_common(1)[0][0]
    return size, count[size, True] > count[size, False]


def body_face(lines: Iterable[Line], size: float) -> str:
    """The typeface of most letters in the size of the text."""
    count: Counter[str] = Counter()
    for line in lines:
        if round(line.size * 2) / 2 == size:
            count[line.face] += len(line.words)
    return count.most_common(1)[0][0] if count else ""


def style_key(block: Block) -> StyleKey:
    return round(block.size * 2) / 2, all(line.bold for line in block.lines)


def is_heading(block: Block, *, styles: Styles) -> bool:
    """Whether a paragraph is a heading, and no row of a table."""
    return stands_out(block, styles=styles) and not any(has_cells(line) for line in block.lines)


def stands_out(block: Block, *, styles: Styles) -> bool:
    """Whether a paragraph reads and looks as a heading."""
    if len(block.lines) > MAX_LINES:
        return False
    text = block.text.strip()
    if not any(letter.isalpha() for letter in text) or len(text) > MAX_LETTERS:
        return False
    if is_bullet_item(text) or LEADERS.search(text) or CAPTION.match(text):
        return False
    if styles.faces and face_key(block) in styles.faces:
        return is_short(block)
    if style_key(block) in styles.plain:
        return False
    if any(line.mono for line in block.lines) and not styles.typed:
        return False
    ratio = block.size / styles.body_size
    numbered = NUMBERED.match(text) is not None
    if text.endswith(SENTENCE_END) and not numbered:
        return False
    if ratio >= LARGER:
        return True
    if ratio >= LARGER_FACE and styles.body_face not in {line.face for line in block.lines}:
        return len(block.lines) <= MAX_BOLD_LINES and len(text) <= MAX_BOLD_LETTERS
    bold = all(
        word.font.bold for line in block.lines for word in line.words if any(map(str.isalnum, word.text))
    )
    if not bold or styles.body_bold or ratio < 0.95:
        return False
    return len(block.lines) <= MAX_BOLD_LINES and len(text) <= MAX_BOLD_LETTERS


def has_cells(line: Line) -> bool:
    """Whether wide white parts a line as it parts the cells of a table; after a number it does not count."""
    for end, (left, right) in enumerate(pairwise(line.words), start=1):
        if right.x0 - left.x1 > CELL_GAP * line.size and not LABEL.fullmatch(words_text(line.words[:end])):
            return True
    return False


def is_bullet_item(text: str) -> bool:
    mark = marker(text)
    return bool(mark) and is_bullet(mark)


def text_styles(blocks: Iterable[Block]) -> frozenset[StyleKey]:
    """Styles of headings in which at least as many letters are no heading: lists, large paragraphs."""
    heading: Counter[StyleKey] = Counter()
    other: Counter[StyleKey] = Counter()
    for block in blocks:
        if block.lines and not any(has_cells(line) for line in block.lines):
            count = heading if block.kind is Kind.HEADING else other
            count[style_key(block)] += len(block.text)
    return frozenset(key for key, letters in heading.items() if other[key] >= letters)


def numbering_depth(text: str) -> int:
    """2 for "3.1 Results"; 0 for a heading without a number."""
    match = NUMBERED.match(text)
    return match[1].count(".") + 1 if match else 0


def level_key(block: Block) -> LevelKey:
    return (*style_key(block), numbering_depth(block.text))


def heading_levels(blocks: Iterable[Block]) -> dict[LevelKey, int]:
    """Larger before smaller, bold before regular, fewer numbers before more: six levels at most."""
    keys = {level_key(block) for block in blocks if block.kind is Kind.HEADING}
    ranks = {key: rank(key, keys) for key in keys}
    ordered = sorted(set(ranks.values()))
    return {key: min(ordered.index(place) + 1, 6) for key, place in ranks.items()}


def rank(key: LevelKey, keys: Collection[LevelKey]) -> tuple[float, bool, int]:
    """Where a heading stands. One without a number ranks with the numbered ones of its style, but below
    them where those are sections of sections: it then parts what they head."""
    size, bold, depth = key
    if not depth:
        numbered = [other[2] for other in keys if other[:2] == key[:2] and other[2]]
        depth = min(numbered, default=0)
        depth += 1 if depth > 1 else 0
    return -size, not bold, depth


def level_of(key: LevelKey, levels: Mapping[LevelKey, int]) -> int:
    """The level of a heading; one that the sample lacks takes that of its style or of the next smaller."""
    if key in levels:
        return levels[key]
    same = [level for other, level in levels.items() if other[:2] == key[:2]]
    smaller = [level for other, level in levels.items() if other[0] <= key[0]]
    return min(same or smaller, default=max(levels.values(), default=1))
