"""Reads ruled lines and painted areas of a page from PDFium's path objects."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import addressof, c_int, c_uint
from typing import NamedTuple

from common.processing.pdf import pdfium
from common.processing.pdf.spans import Box

TEXT, PATH, IMAGE, FORM = 1, 2, 3, 5  # PDFium's page object types
MAX_OBJECTS = 20_000  # a page with more is a drawing, and its lines are no table
MAX_SEGMENTS = 400  # a path with more is a picture
MAX_DEPTH = 4  # forms in forms
THIN = 3.0  # points: what is thinner than this is a ruled line, whether stroked or filled
MIN_LENGTH = 3.0
FAR = 1e7  # points: what is drawn farther away is damage
DOT = (1.5, 24.0)  # points: the sizes of drawn bullets
LINE_TO, BEZIER_TO, MOVE_TO = 0, 1, 2
NEARLY_WHITE = 250
IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Matrix = tuple[float, float, float, float, float, float]


class Drawings(NamedTuple):
    """Strokes and fills in PDF page coordinates (y grows upward), and whether there is anything drawn."""

    strokes: list[Box]
    fills: list[Box]
    has_graphics: bool
    pictures: list[Box]
    dots: list[Box]


class DrawingReader:
    """Walks the page objects once."""

    def __init__(self) -> None:
        self._bounds = pdfium.Floats(4)
        self._matrix = pdfium.Floats(6)
        self._point = pdfium.Floats(2)
        self._fill_mode, self._stroke = c_int(), c_int()
        self._color = (c_uint * 4)()
        self._color_at = [addressof(self._color) + 4 * i for i in range(4)]
        self._left = MAX_OBJECTS
        self.strokes: list[Box] = []
        self.fills: list[Box] = []
        self.pictures: list[Box] = []
        self.dots: list[Box] = []
        self.has_graphics = False

    def read(self, page: int) -> Drawings:
        count = pdfium.page_object_count(page)
        self._walk((pdfium.page_object(page, i) for i in range(min(count, MAX_OBJECTS))), IDENTITY, 0)
        if self._left <= 0:
            return Drawings([], [], True, self.pictures, [])
        return Drawings(self.strokes, self.fills, self.has_graphics, self.pictures, self.dots)

    def _walk(self, objects: Iterator[int], matrix: Matrix, depth: int) -> None:
        for item in objects:
            kind = pdfium.object_type(item)
            if kind == TEXT:
                continue
            self._left -= 1
            if self._left <= 0:
                return
            self.has_graphics = True
            box = self._box(item, matrix)
            if box is None:
                continue
            if kind == PATH:
                self._path(item, box, matrix)
                continue
            if is_dot(box):
                self.dots.append(box)
            if kind == IMAGE:
                self.pictures.append(box)
            elif kind == FORM and depth < MAX_DEPTH:
                count = min(pdfium.form_object_count(item), MAX_OBJECTS)
                inner = combine(self._matrix_of(item), matrix)
                self._walk((pdfium.form_object(item, i) for i in range(count)), inner, depth + 1)

    def _matrix_of(self, item: int) -> Matrix:
        if not pdfium.object_matrix(item, self._matrix.at[0]):
            return IDENTITY
        a, b, c, d, e, f = self._matrix.values[:]
        return a, b, c, d, e, f

    def _box(self, item: int, matrix: Matrix) -> Box | None:
        at = self._bounds.at
        if not pdfium.object_bounds(item, at[0], at[1], at[2], at[3]):
            return None
        left, bottom, right, top = self._bounds.values[:]
        box = transformed(Box(left, bottom, right, top), matrix)
        return box if all(-FAR < side < FAR for side in box) else None

    def _path(self, item: int, box: Box, matrix: Matrix) -> None:
        if box.width < MIN_LENGTH and box.height < MIN_LENGTH:
            return
        pdfium.path_mode(item, addressof(self._fill_mode), addressof(self._stroke))
        filled, stroked = self._fill_mode.value != 0, self._stroke.value != 0
        if filled and not stroked and self._is_white(item):
            return
        if not (filled or stroked):
            return
        if filled and is_dot(box):
            self.dots.append(box)
        if box.width < THIN or box.height < THIN:
            self.strokes.append(box)
            return
        length = pdfium.path_length(item)
        if length > MAX_SEGMENTS:
            return
        if filled and not stroked and length <= 6:
            self.fills.append(box)
            return
        self._segments(item, length, combine(self._matrix_of(item), matrix), filled)

    def _is_white(self, item: int) -> bool:
        at = self._color_at
        if not pdfium.object_fill(item, at[0], at[1], at[2], at[3]):
            return False
        red, green, blue, alpha = self._color
        return alpha == 0 or min(red, green, blue) >= NEARLY_WHITE

    def _segments(self, item: int, length: int, matrix: Matrix, filled: bool) -> None:
        """The straight edges of a path; curves are skipped."""
        px = py = sx = sy = 0.0
        at = self._point.at
        a, b, c, d, e, f = matrix
        edges: list[Box] = []
        for index in range(length):
            segment = pdfium.path_segment(item, index)
            kind = pdfium.segment_type(segment)
            pdfium.segment_point(segment, at[0], at[1])
            u, v = self._point.values[:]
            x, y = a * u + c * v + e, b * u + d * v + f
            if kind == MOVE_TO:
                sx, sy = x, y
            elif kind == LINE_TO:
                edges.append(edge(px, py, x, y))
            elif filled:
                return
            px, py = x, y
            if pdfium.segment_closes(segment):
                edges.append(edge(px, py, sx, sy))
                px, py = sx, sy
        # A filled outline whose edges lie close together is a set of thin bars.
        self.strokes.extend(box for box in edges if is_line(box) and all(-FAR < side < FAR for side in box))


def edge(x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def is_line(box: Box) -> bool:
    """Straight along an axis, and long enough to separate anything."""
    return (box.width < 1.0) != (box.height < 1.0) and max(box.width, box.height) >= MIN_LENGTH


def is_dot(box: Box) -> bool:
    """Small and about as wide as high: a bullet that is drawn instead of written."""
    return DOT[0] <= box.width <= DOT[1] and 0.6 * box.width <= box.height <= 1.7 * box.width


def combine(inner: Matrix, outer: Matrix) -> Matrix:
    """The matrix that applies `inner`, then `outer`."""
    if outer == IDENTITY:
        return inner
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )


def transformed(box: Box, matrix: Matrix) -> Box:
    if matrix == IDENTITY:
        return box
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    ys = [b * x + d * y + f for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    return Box(min(xs), min(ys), max(xs), max(ys))
