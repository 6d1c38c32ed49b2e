"""OCR of pages, side by side in processes of their own; pages that need none pass through in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from common.processing.ocr.page import OcrPage
from common.processing.ocr.parallel import in_processes, ocr_file
from common.processing.ocr.preparation import LONGEST_SIDE_PIXELS, PLAUSIBLE_DPI, stated_dpi
from common.processing.pages.page import OCR_NEEDED, Page, PagedSource, PageNotDrawn
from common.processing.pages.unite import unite

if TYPE_CHECKING:
    from PIL.Image import Image

OCR_DPI = 150  # more reads no better and costs half as much again

Wanted = Callable[[Page], bool]


@dataclass(frozen=True, kw_only=True)
class Scanner:
    """Reads pictures of pages."""

    source: PagedSource
    scratch: Path
    language: str | None

    def read(self, pages: Iterable[Page], *, wanted: Wanted, count: int) -> Iterator[Page]:
        """The pages in order, those that are wanted with what OCR reads on them.

        No process is started before the first page that needs one.
        """
        left = iter(pages)
        for page in left:
            if wanted(page):
                work = partial(_read, language=self.language)
                items = (self._item(one, wanted) for one in chain([page], left))
                yield from in_processes(work, items, processes=min(available_cores(), count))
                return
            yield page

    def read_one(self, page: Page) -> Page:
        return _read(self._item(page, lambda _: True), language=self.language)

    def _item(self, page: Page, wanted: Wanted) -> _Item:
        if not wanted(page):
            return _Item(page=page)
        path = self.scratch / f"scan_{page.number}.png"
        try:
            _save(self.source.picture(page.number, dpi=OCR_DPI), path)
        except PageNotDrawn as error:
            return _Item(page=replace(page, warnings=(*page.warnings, error.warning(page.number))))
        return _Item(page=page, picture=path)


def available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class _Item:
    page: Page
    picture: Path | None = None  # None: nothing to do


def _save(picture: Image, path: Path) -> None:
    """No larger than the recogniser looks at it."""
    dpi, longest = stated_dpi(picture), max(picture.size)
    if longest > LONGEST_SIDE_PIXELS:
        picture.thumbnail((LONGEST_SIDE_PIXELS, LONGEST_SIDE_PIXELS))
        dpi *= LONGEST_SIDE_PIXELS / longest
    options = {"dpi": (dpi, dpi)} if round(dpi) in PLAUSIBLE_DPI else {}
    picture.save(path, "PNG", compress_level=1, **options)  # read once and deleted: speed counts


def _read(item: _Item, *, language: str | None) -> Page:
    if item.picture is None:
        return item.page
    try:
        return _merged(item.page, ocr_file(item.picture, language=language))
    finally:
        item.picture.unlink()


def _merged(page: Page, found: OcrPage) -> Page:
    kept = tuple(warning for warning in page.warnings if warning.code != OCR_NEEDED)
    told = tuple(replace(warning, page=page.number) for warning in found.warnings)
    return replace(
        page,
        text=unite(page.text, found.text),
        markdown=unite(page.markdown, found.markdown),
        warnings=kept + told,
        confidence=round(found.confidence, 1),
    )
