"""Shows the numbers of a workbook as its formats say: dates, percentages, plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

_S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SIGNIFICANT_DIGITS = 12  # what Excel shows at most; hides 0.30000000000000004


@dataclass(frozen=True, kw_only=True)
class CellFormats:
    """The number format of each cell style, and the day the calendar starts."""

    codes: tuple[str, ...]
    since_1904: bool

    def show(self, value: str, style: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        code = self.codes[int(style)] if style.isdecimal() and int(style) < len(self.codes) else "General"
        return self._date(number, code) or _percentage(number, code) or _plain(number)

    def _date(self, number: float, code: str) -> str | None:
        from openpyxl.styles.numbers import is_date_format, is_timedelta_format
        from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

        if not is_date_format(code):
            return None
        epoch = CALENDAR_MAC_1904 if self.since_1904 else CALENDAR_WINDOWS_1900
        try:
            moment = from_excel(number, epoch, timedelta=is_timedelta_format(code))
        except (OverflowError, ValueError):
            return None
        return "" if moment is None else str(moment).removesuffix(" 00:00:00")


def read_formats(styles: _Element | None, workbook: _Element) -> CellFormats:
    properties = workbook.find(f"{_S}workbookPr")
    since_1904 = properties is not None and properties.get("date1904", "0") in ("1", "true")
    return CellFormats(codes=() if styles is None else _codes(styles), since_1904=since_1904)


def _codes(styles: _Element) -> tuple[str, ...]:
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    custom = {
        element.get("numFmtId", ""): element.get("formatCode", "General")
        for element in styles.iterfind(f"{_S}numFmts/{_S}numFmt")
    }

    def code(number: str) -> str:
        builtin = BUILTIN_FORMATS.get(int(number)) if number.isdecimal() else None
        return custom.get(number) or builtin or "General"

    return tuple(code(element.get("numFmtId", "0")) for element in styles.iterfind(f"{_S}cellXfs/{_S}xf"))


def _percentage(number: float, code: str) -> str | None:
    return f"{_plain(number * 100)} %" if code.split(";")[0].rstrip().endswith("%") else None


def _plain(number: float) -> str:
    return f"{number:.{_SIGNIFICANT_DIGITS}g}" if abs(number) < 1e15 else repr(number)
