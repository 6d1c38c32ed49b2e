"""The loop over the pages of a document: from the cache where it has them, kept there on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from common.processing.base import Cache, Context, HandOver, StoredFile
from common.processing.pages.finish import model_calls
from common.processing.pages.keeper import PLAIN_TEXT, PageKeeper
from common.processing.pages.page import Page, as_record, from_record, record_name, text_name
from common.processing.pages.pictures import PagePictures
from common.processing.pages.readers import PageReader

HAND_OVER_SECONDS = 20.0  # what a run keeps for ending the pages it is at before its time limit
READ_AT_ONCE = 4
MODEL_HAND_OVER_SECONDS = 60.0  # models take longer


@dataclass(frozen=True, kw_only=True)
class Reading:
    """All pages of a range, in order."""

    pages: tuple[Page, ...]
    text_paths: tuple[str, ...]
    is_from_cache: bool


@dataclass(frozen=True, kw_only=True)
class PageLoop:
    """One run over a range of pages; where its time ends, the next one goes on at the first missing page."""

    context: Context
    cache: Cache
    reader: PageReader
    pictures: PagePictures
    numbers: Sequence[int]
    kept: Mapping[str, StoredFile]  # what may be reused of the cache
    overwrites: bool = False  # what was computed before, by whomever

    def run(self) -> Reading:
        known = self._known_pages()
        missing = [number for number in self.numbers if number not in known]
        new_pages = self.reader.read(self._in_time(missing), count=len(missing))
        try:
            with PageKeeper(self.cache) as keeper:
                return self._run(known, new_pages, keeper)
        finally:
            getattr(new_pages, "close", lambda: None)()  # ends processes and threads that read ahead

    def _run(self, known: Mapping[int, Page], new_pages: Iterator[Page], keeper: PageKeeper) -> Reading:
        pages: list[Page] = []
        paths: list[str] = []
        computed = 0
        for number in self.numbers:
            self.reader.progress.start_page(len(pages))
            page = known.get(number) or next(new_pages, None)
            if page is None or (number in known and computed and self._is_late()):
                raise HandOver({"next_page": number, "llm_requests": model_calls(self.context)})
            computed += number not in known
            if self.reader.method.reads_text:
                if number not in known and not page.is_stand_in:
                    page = self._agreed(page)
                    keeper.keep(page)
                paths.append(f"pages/{text_name(page.number)}")
            computed += self.pictures.make(number)
            pages.append(page)
        kept = keeper.kept()
        for page, path in zip(pages, paths, strict=False):
            self._deliver(page, path, kept)
        return Reading(pages=tuple(pages), text_paths=tuple(paths), is_from_cache=computed == 0)

    def _in_time(self, missing: Sequence[int]) -> Iterator[int]:
        """No page is begun when time gets short, but at least one; those begun are waited for, so that none
        is read twice however many are read at one time."""
        for place, number in enumerate(missing):
            if place and self._is_late():
                return
            yield number

    def _is_late(self) -> bool:
        kept = MODEL_HAND_OVER_SECONDS if self.reader.method.uses_model else HAND_OVER_SECONDS
        return self.context.progress.seconds_left() < kept

    def _agreed(self, page: Page) -> Page:
        """A model answers differently each time: where another job was quicker with this page, its answer is
        used, so that no result changes under the job that has it."""
        if not self.reader.method.uses_model or self.overwrites:
            return page
        name = record_name(page.number)
        if self.cache.write_new(name, as_record(page), "application/json"):
            return page
        return from_record(self.cache.read(name)) or page

    def _deliver(self, page: Page, path: str, kept: Mapping[int, StoredFile]) -> None:
        if page.is_stand_in:
            self.context.files.write(path, page.text.encode(), PLAIN_TEXT)
        else:
            self.context.files.adopt(path, kept.get(page.number) or self.kept[text_name(page.number)])

    def _known_pages(self) -> dict[int, Page]:
        if not self.reader.method.reads_text:
            return {number: Page(number=number) for number in self.numbers}
        kept = [
            number
            for number in self.numbers
            if record_name(number) in self.kept and text_name(number) in self.kept
        ]
        with ThreadPoolExecutor(READ_AT_ONCE) as threads:
            records = threads.map(lambda number: from_record(self.cache.read(record_name(number))), kept)
            found = zip(kept, records, strict=True)
            return {number: page for number, page in found if page is not None}


def reusable(cache: Cache, context: Context, *, is_fresh: bool) -> dict[str, StoredFile]:
    """What the cache has; of a job that computes anew, only what its own earlier runs have written."""
    if not is_fresh:
        return cache.names()
    next_page = context.checkpoint.get("next_page")
    if next_page is None:
        return {}
    return {name: file for name, file in cache.names().items() if _page_of(name) < next_page}


def _page_of(name: str) -> float:
    number = name.partition(".")[0].rpartition("_")[2]
    return int(number) if number.isdecimal() else float("inf")
