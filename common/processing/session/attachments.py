"""The attachments of a session as one row of slides. One that fails is a warning; the others are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from common.errors import Cancelled, ProcessingError
from common.outbound.guard import shown_url
from common.processing.base import Context, Warning
from common.processing.session.deck import Deck, read_deck
from common.processing.session.media import Link
from common.processing.session.paths import SessionPaths
from common.processing.session.url import suffix_of
from common.processing.transform.slides import Slide

FIRST_PERCENT, LAST_PERCENT = 10.0, 60.0
# The same slides are often offered twice; a PDF shows them as their author saw them.
_PREFERRED = {".pdf": 0, ".odp": 1, ".pptx": 2, ".ppt": 3}


@dataclass
class Attachments:
    """What was read so far; slides are numbered through all attachments."""

    slides: list[Slide] = field(default_factory=list)
    page_texts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    warnings: list[Warning] = field(default_factory=list)

    @property
    def pictures(self) -> tuple[str, ...]:
        return tuple(slide.picture for slide in self.slides if slide.picture)

    @property
    def text(self) -> str:
        return "\n\n".join(text for text in self.texts if text.strip())


def choose_attachments(given: Sequence[str], offered: Sequence[Link]) -> tuple[str, ...]:
    """Those that were asked for, else those the page offers, each document in one form only."""
    if given:
        return tuple(dict.fromkeys(given))
    chosen: dict[str, str] = {}
    for link in offered:
        stem = str(PurePosixPath(unquote(urlsplit(link.url).path)).with_suffix(""))
        known = chosen.get(stem)
        if known is None or _rank(link.url) < _rank(known):
            chosen[stem] = link.url
    return tuple(chosen.values())


def read_attachments(
    urls: Sequence[str], context: Context, paths: SessionPaths, *, use_cache: bool
) -> Attachments:
    found = Attachments()
    share = (LAST_PERCENT - FIRST_PERCENT) / max(len(urls), 1)
    for place, url in enumerate(urls):
        begin = FIRST_PERCENT + place * share

        def report(done: int, total: int, begin: float = begin) -> None:
            percent = begin + share * done / total
            context.progress.report(f"processing_slides:{done + 1}/{total}", percent, done=done, total=total)

        context.progress.report("downloading_attachments", begin)
        try:
            source = context.sources.fetch(url=url)
            deck = read_deck(source, context, use_cache=use_cache, report=report)
        except Cancelled:
            raise
        except ProcessingError as error:
            message = f"The attachment {shown_url(url)} was left out: {error.message}"
            found.warnings.append(Warning(code=error.code, message=message))
            context.progress.log("warning", message)
            continue
        _add(deck, url, found, context, paths)
    return found


def _add(deck: Deck, url: str, found: Attachments, context: Context, paths: SessionPaths) -> None:
    found.urls.append(url)
    found.warnings.extend(deck.warnings)
    for page in deck.pages:
        number = len(found.slides) + 1
        text_path = f"pages/page_{number:03}.txt"
        context.files.adopt(text_path, page.text_file)
        picture = paths.slide(number) if page.picture else None
        if page.picture and picture:
            context.files.adopt(picture, page.picture)
        found.page_texts.append(text_path)
        found.texts.append(page.markdown)
        found.slides.append(Slide(number=number, picture=picture, text=page.markdown))


def _rank(url: str) -> int:
    return _PREFERRED.get(suffix_of(url), len(_PREFERRED))
