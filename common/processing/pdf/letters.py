"""Reads the words of a page from PDFium: text in one call, then two letters of each word for its place.

Reading every letter's box would cost three times as much and tell little more.
"""

from __future__ import annotations

import ctypes
import re
from ctypes import c_double
from math import atan2, degrees, hypot
from typing import NamedTuple

import pypdfium2.raw as raw

from common.processing.pdf import pdfium
from common.processing.pdf.spans import Font, Word

# PDFium marks a hyphen at the end of a line by U+FFFE and leaves the line break out.
# White is named code by code: Python counts some codes of LIGATURES as white too.
WHITE = r" \t\n\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
WORD = re.compile(rf"[^{WHITE}\x00\ufffe]+\ufffe?|\ufffe")
SURROGATE = re.compile("[\ud800-\udfff]")
BOLD = re.compile(
    r"bold|black|heavy|demi|semibd|(?:cm|sf|ec)b|-medi|(?:-|,)b(?:d|old)?(?:i|it)?$|bdit", re.IGNORECASE
)
ITALIC = re.compile(r"ital|obli|slant|kursiv|cmti|cmsl|cmmi|-it$|-i$", re.IGNORECASE)
MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|code|fixed|menlo|inconsolata", re.IGNORECASE)
FLAG_FIXED_PITCH, FLAG_ITALIC, FLAG_FORCE_BOLD = 1, 1 << 6, 1 << 18
HEAVY_WEIGHT = 650  # PDFium guesses weights from stem widths; regular faces reach about 500
SPLIT_GAP = 0.3  # font sizes of white between two text objects that PDFium joined without a blank
FAR = 1e7  # points: nothing real is so far away
UNWANTED: dict[int, str | None] = dict.fromkeys(range(32))
# In TeX's fonts without a Unicode table, the codes of ligatures in its old and its newer encoding.
LIGATURES = {0x0B: "ff", 0x0C: "fi", 0x0E: "ffi", 0x0F: "ffl"}
LIGATURES |= {0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}
UNWANTED |= LIGATURES
UNWANTED |= {0x00AD: None, 0xFEFF: None, 0x200B: None, 0x0002: "-", 0xFFFE: "-", 0x007F: None}


class Style(NamedTuple):
    """What all letters of one text object share."""

    font: Font
    size: float
    base: float  # the line they stand on, across their direction
    angle: int  # degrees, to the nearest right angle; -1 for slanted text
    mark: int


def page_text(text_page: int) -> str:
    """All text of a page; its indexes are PDFium's letter indexes."""
    count = raw.FPDFText_CountChars(ctypes.cast(text_page, raw.FPDF_TEXTPAGE))
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = raw.FPDFText_GetText(ctypes.cast(text_page, raw.FPDF_TEXTPAGE), 0, count, buffer)
    text = bytes(buffer).decode("utf-16-le", "replace")[:count]
    if written - 1 == count and not any(letter >= "\U00010000" for letter in set(text)):
        return text
    # Letters beyond the basic plane take two units: ask one by one to keep the indexes true.
    codes = (pdfium.char_unicode(text_page, index) for index in range(count))
    return "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)


class LetterReader:
    """Cuts a page's text into words and asks PDFium where they stand."""

    def __init__(self, text_page: int, *, tagged: bool = False) -> None:
        self._page = text_page
        self._tagged = tagged
        self._styles: dict[int, Style] = {}
        self._fonts: dict[int, Font] = {}
        self._box = pdfium.Floats(4)  # left, top, right, bottom
        self._origin = pdfium.Floats(2, c_double)
        self._matrix = pdfium.Floats(6)

    def words(self, text: str) -> list[tuple[Word, int]]:
        """Words in PDFium's order with the angle at which each is written."""
        found: list[tuple[Word, int]] = []
        end_before, hyphened = 0, False
        for match in WORD.finditer(text):
            start, end = match.span()
            blank = text[end_before:start]
            first = len(found)
            self._cut(text, start, end, found)
            if len(found) > first:
                head = found[first][0]
                head.starts_line = hyphened or "\n" in blank or "\r" in blank or not end_before
                head.glued = not blank and not head.starts_line
            end_before, hyphened = end, text[end - 1] == "\ufffe"
        return found

    def _cut(self, text: str, start: int, end: int, found: list[tuple[Word, int]]) -> None:
        """One word, or several where text objects with white between them were joined."""
        last = pdfium.char_object(self._page, end - 1)
        current = pdfium.char_object(self._page, start)
        if end - start > 1 and current != last:
            begin = start
            for index in range(start + 1, end):
                after = pdfium.char_object(self._page, index)
                if after != current and self._apart(index, current):
                    self._add(text, begin, index, current, found)
                    begin = index
                current = after
            start = begin
        self._add(text, start, end, current, found)

    def _apart(self, index: int, owner: int | None) -> bool:
        """Whether the letter at `index` stands away from the one before it."""
        style = self._style(index - 1, owner)
        box, page = self._box, self._page
        pdfium.char_box(page, index - 1, box.at[0])
        left, top, right, bottom = box.values[:]
        pdfium.char_box(page, index, box.at[0])
        if style.angle in (90, 270):
            gap = max(box.values[3] - top, bottom - box.values[1])
        else:
            gap = max(box.values[0] - right, left - box.values[2])
        return bool(gap > SPLIT_GAP * style.size)

    def _add(self, text: str, start: int, end: int, owner: int | None, found: list[tuple[Word, int]]) -> None:
        style = self._style(start, owner)
        box, page = self._box, self._page
        pdfium.char_box(page, start, box.at[0])
        left, top, right, bottom = box.values[:]
        if end - start > 1:
            pdfium.char_box(page, end - 1, box.at[0])
            left_, top_, right_, bottom_ = box.values[:]
            left, right = (left if left < left_ else left_), (right if right > right_ else right_)
            top, bottom = (top if top > top_ else top_), (bottom if bottom < bottom_ else bottom_)
        x0, x1 = (bottom, top) if style.angle in (90, 270) else (left, right)
        if not -FAR < x0 <= x1 < FAR:
            x0, x1 = bounded(x0), max(bounded(x0), bounded(x1))
        letters = clean(text[start:end])
        word = Word(letters, x0, x1, style.base, style.size, style.font, mark=style.mark, order=start)
        if word.text:
            found.append((word, style.angle))

    def _style(self, index: int, owner: int | None) -> Style:
        key = owner or 0
        style = self._styles.get(key)
        if style is None:
            matrix = self._matrix
            pdfium.char_matrix(self._page, index, matrix.at[0])
            a, b, c, d = map(bounded, matrix.values[:4])
            size = bounded(pdfium.char_font_size(self._page, index) * hypot(c, d))
            turn = degrees(atan2(b, a)) % 360
            near = round(turn / 90) * 90
            pdfium.char_origin(self._page, index, self._origin.at[0], self._origin.at[1])
            x, y = map(bounded, self._origin.values[:])
            style = Style(
                base=x if near % 180 else y,
                font=self._font(index, key),
                size=round(size, 2) or 1.0,
                angle=near % 360 if abs(turn - near) < 3 else -1,
                mark=pdfium.object_mark(key) if self._tagged and key else -1,
            )
            if key:
                self._styles[key] = style
        return style

    def _signature(self, handle: int) -> str:
        """A name for a font without one, as bitmap fonts are: the same on every page, another for another."""
        at = self._matrix.at
        pdfium.font_ascent(handle, 1.0, at[0])
        pdfium.font_descent(handle, 1.0, at[1])
        return f"{self._matrix.values[0]:.3f}{self._matrix.values[1]:+.3f}"

    def _font(self, index: int, owner: int) -> Font:
        handle = pdfium.object_font(owner) if owner else None
        if not handle:
            return Font()
        font = self._fonts.get(handle)
        if font is None:
            buffer = ctypes.create_string_buffer(128)
            pdfium.font_name(handle, ctypes.addressof(buffer), 128)
            name = buffer.value.decode("utf-8", "replace")
            flags = max(pdfium.font_flags(handle), 0)
            weight = pdfium.char_font_weight(self._page, index)
            face = name.split("+", 1)[-1] or self._signature(handle)
            font = Font(
                name=face,
                bold=bool(BOLD.search(face)) or bool(flags & FLAG_FORCE_BOLD) or weight >= HEAVY_WEIGHT,
                italic=bool(ITALIC.search(face)) or bool(flags & FLAG_ITALIC),
                mono=bool(MONO.search(face)) or bool(flags & FLAG_FIXED_PITCH),
            )
            self._fonts[handle] = font
        return font


def bounded(value: float) -> float:
    """Damaged files hold numbers beyond all pages, or none at all: those count as 0."""
    return value if -FAR < value < FAR else 0.0


def clean(text: str) -> str:
    """The letters a reader should get: no control codes, PDFium's hyphen mark and soft hyphens resolved."""
    if text.isascii() and text.isprintable():
        return text
    if text[-1] == "\u00ad":
        text = text[:-1] + "-"
    return whole_letters(text.translate(UNWANTED))


def whole_letters(text: str) -> str:
    """Pairs of surrogates joined to the letters they stand for; single ones replaced."""
    if SURROGATE.search(text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
