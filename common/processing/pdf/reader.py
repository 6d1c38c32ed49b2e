"""From one PDFium page to upright spans: words, drawings and links in one coordinate system."""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as raw

from common.processing.pdf import pdfium
from common.processing.pdf.drawings import DrawingReader
from common.processing.pdf.letters import LIGATURES, LetterReader, page_text, whole_letters
from common.processing.pdf.spans import Box, PageSpans, Word
from common.processing.pdf.structure import read_structure

MAX_LINKS = 2_000
URL_BYTES = 2_048
SCAN_SHARE = 0.8  # of a page that one picture covers
LINKED = ("http://", "https://", "mailto:")


def read_page(document: Any, page: Any, number: int, *, tagged: bool = False) -> PageSpans:
    """All that layout needs of a page. `document` and `page` are raw PDFium handles."""
    width, height = page_size(page)
    text_page = raw.FPDFText_LoadPage(page)
    words: list[tuple[Word, int]] = []
    text = ""
    if text_page:
        try:
            handle = pdfium.address(text_page)
            text = page_text(handle)
            words = LetterReader(handle, tagged=tagged).words(text)
        finally:
            raw.FPDFText_ClosePage(text_page)
    drawings = DrawingReader().read(pdfium.address(page))
    attach_links([word for word, _ in words], page_links(document, page))
    turn = dominant_angle(words)
    flip = Turn(turn, width, height)
    return PageSpans(
        number=number,
        width=flip.width,
        height=flip.height,
        words=[flip.word(word, angle) for word, angle in words],
        strokes=[flip.box(box) for box in drawings.strokes],
        fills=[flip.box(box) for box in drawings.fills],
        dots=[flip.box(box) for box in drawings.dots],
        has_graphics=drawings.has_graphics,
        is_scan=any(box.width * box.height > SCAN_SHARE * width * height for box in drawings.pictures),
        text=whole_letters(text).translate(LIGATURES),
        tags=read_structure(page) if tagged else {},
    )


def page_size(page: Any) -> tuple[float, float]:
    """Width and height before /Rotate: text and paths are given in that system."""
    box = raw.FS_RECTF()
    if raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box)):
        return max(box.right, 1.0), max(box.top, 1.0)
    return 612.0, 792.0


def dominant_angle(words: list[tuple[Word, int]]) -> int:
    """The direction in which most letters of a page run."""
    count: Counter[int] = Counter()
    for word, angle in words:
        count[angle] += len(word.text)
    del count[-1]
    return count.most_common(1)[0][0] if count else 0


class Turn:
    """Turns a page so that its main text is upright, with y growing downward."""

    def __init__(self, angle: int, width: float, height: float) -> None:
        self.angle = angle
        self._width, self._height = width, height
        self.width, self.height = (height, width) if angle in (90, 270) else (width, height)

    def box(self, box: Box) -> Box:
        x0, y0, x1, y1 = box
        if self.angle == 90:
            return Box(y0, x0, y1, x1)
        if self.angle == 180:
            return Box(self._width - x1, y0, self._width - x0, y1)
        if self.angle == 270:
            return Box(self._height - y1, self._width - x1, self._height - y0, self._width - x0)
        return Box(x0, self._height - y1, x1, self._height - y0)

    def word(self, word: Word, angle: int) -> Word:
        """Words of the main direction become lines; others are marked and keep a rough place."""
        if angle != self.angle:
            word.upright = False
            return self._other(word, angle)
        if angle == 0:
            word.base = self._height - word.base
        elif angle == 180:
            word.x0, word.x1 = self._width - word.x1, self._width - word.x0
        elif angle == 270:
            word.x0, word.x1 = self._height - word.x1, self._height - word.x0
            word.base = self._width - word.base
        return word

    def _other(self, word: Word, angle: int) -> Word:
        across = angle in (90, 270)
        middle = (word.x0 + word.x1) / 2
        point = (
            Box(word.base, middle, word.base, middle) if across else Box(middle, word.base, middle, word.base)
        )
        place = self.box(point)
        word.x0, word.x1, word.base = place.x0, place.x0 + word.size, place.y0
        return word


def page_links(document: Any, page: Any) -> list[tuple[Box, str]]:
    """Rectangles of web and mail links, in PDF coordinates."""
    found: list[tuple[Box, str]] = []
    position, link, rectangle = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    while len(found) < MAX_LINKS and raw.FPDFLink_Enumerate(page, ctypes.byref(position), ctypes.byref(link)):
        action = raw.FPDFLink_GetAction(link)
        if not action or not raw.FPDFLink_GetAnnotRect(link, ctypes.byref(rectangle)):
            continue
        url = action_url(document, action)
        if url:
            box = Box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
            found.append((box, url))
    return found


def action_url(document: Any, action: Any) -> str:
    buffer = ctypes.create_string_buffer(URL_BYTES)
    length = raw.FPDFAction_GetURIPath(document, action, buffer, URL_BYTES)
    if not 1 < length <= URL_BYTES:
        return ""
    url = buffer.value.decode("utf-8", "replace").strip()
    is_safe = url.lower().startswith(LINKED) and not any(c in url for c in " ()<>\n\r\t")
    return url if is_safe else ""


def attach_links(words: Sequence[Word], links: Sequence[tuple[Box, str]]) -> None:
    """A word belongs to the link whose rectangle holds its middle."""
    if not links:
        return
    ordered = sorted(words, key=_middle)
    heights = [_middle(word) for word in ordered]
    for box, url in links:
        for word in ordered[bisect_left(heights, box.y0) : bisect_right(heights, box.y1)]:
            if box.x0 <= (word.x0 + word.x1) / 2 <= box.x1:
                word.link = url


def _middle(word: Word) -> float:
    return word.base + word.size / 4  # y still grows upward here
