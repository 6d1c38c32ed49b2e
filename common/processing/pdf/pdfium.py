"""PDFium functions that are called once per word or stroke, bound for speed.

The stock bindings check and convert every pointer; plain addresses halve the cost of a call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_double, c_float, c_int, c_uint, c_void_p
from typing import Any

import pypdfium2.raw as raw


def _bind(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    address = ctypes.cast(function, c_void_p).value
    if address is None:
        raise RuntimeError("PDFium lacks a function that the layout engine needs")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


char_box = _bind(raw.FPDFText_GetLooseCharBox, c_int, c_void_p, c_int, c_void_p)
char_origin = _bind(raw.FPDFText_GetCharOrigin, c_int, c_void_p, c_int, c_void_p, c_void_p)
char_matrix = _bind(raw.FPDFText_GetMatrix, c_int, c_void_p, c_int, c_void_p)
char_font_size = _bind(raw.FPDFText_GetFontSize, c_double, c_void_p, c_int)
char_font_weight = _bind(raw.FPDFText_GetFontWeight, c_int, c_void_p, c_int)
char_object = _bind(raw.FPDFText_GetTextObject, c_void_p, c_void_p, c_int)
char_unicode = _bind(raw.FPDFText_GetUnicode, c_uint, c_void_p, c_int)
object_font = _bind(raw.FPDFTextObj_GetFont, c_void_p, c_void_p)
object_mark = _bind(raw.FPDFPageObj_GetMarkedContentID, c_int, c_void_p)
font_name = _bind(raw.FPDFFont_GetBaseFontName, ctypes.c_size_t, c_void_p, c_void_p, ctypes.c_size_t)
font_flags = _bind(raw.FPDFFont_GetFlags, c_int, c_void_p)
font_ascent = _bind(raw.FPDFFont_GetAscent, c_int, c_void_p, c_float, c_void_p)
font_descent = _bind(raw.FPDFFont_GetDescent, c_int, c_void_p, c_float, c_void_p)
page_object_count = _bind(raw.FPDFPage_CountObjects, c_int, c_void_p)
page_object = _bind(raw.FPDFPage_GetObject, c_void_p, c_void_p, c_int)
form_object_count = _bind(raw.FPDFFormObj_CountObjects, c_int, c_void_p)
form_object = _bind(raw.FPDFFormObj_GetObject, c_void_p, c_void_p, ctypes.c_ulong)
object_type = _bind(raw.FPDFPageObj_GetType, c_int, c_void_p)
object_bounds = _bind(raw.FPDFPageObj_GetBounds, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
object_matrix = _bind(raw.FPDFPageObj_GetMatrix, c_int, c_void_p, c_void_p)
object_fill = _bind(raw.FPDFPageObj_GetFillColor, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
path_mode = _bind(raw.FPDFPath_GetDrawMode, c_int, c_void_p, c_void_p, c_void_p)
path_length = _bind(raw.FPDFPath_CountSegments, c_int, c_void_p)
path_segment = _bind(raw.FPDFPath_GetPathSegment, c_void_p, c_void_p, c_int)
segment_point = _bind(raw.FPDFPathSegment_GetPoint, c_int, c_void_p, c_void_p, c_void_p)
segment_type = _bind(raw.FPDFPathSegment_GetType, c_int, c_void_p)
segment_closes = _bind(raw.FPDFPathSegment_GetClose, c_int, c_void_p)


def address(handle: Any) -> int:
    """The plain address behind a PDFium handle."""
    value = ctypes.cast(handle, c_void_p).value
    if value is None:
        raise ValueError("PDFium gave no handle")
    return value


class Floats:
    """Four or more C floats that PDFium writes into, with the address of each."""

    def __init__(self, count: int, kind: type[c_float] | type[c_double] = c_float) -> None:
        self.values = (kind * count)()
        start = ctypes.addressof(self.values)
        self.at = [start + index * ctypes.sizeof(kind) for index in range(count)]
