"""An event's web page, read once: its text as Markdown and all that it says about the talk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from common.errors import UnsupportedFile
from common.processing.languages import detect_language, language_code
from common.processing.session.content import main_content, to_markdown, without_surroundings
from common.processing.session.html import READ_BYTES, attribute, parse_html, text_of
from common.processing.session.links import find_media
from common.processing.session.media import Link, Media
from common.processing.session.moment import Moment, from_iso, from_text
from common.processing.session.speakers import find_speakers
from common.processing.session.url import absolute_url

MAX_TITLE_CHARACTERS = 300
MAX_JSON_LD_ITEMS = 100
TIME_CHARACTERS = 20_000  # the date stands near the top; a long text is not searched for one

_TITLE_PARTS = re.compile(r"\s+(?:[|·–—-]|::|»)\s+")
_RECORDING_TYPES = ("VideoObject", "AudioObject")
_TALK_TYPES = ("Event", "PresentationDigitalDocument", "VideoObject", "CreativeWork")


@dataclass(frozen=True, kw_only=True)
class EventPage:
    url: str
    title: str
    markdown: str
    language: str = ""
    speakers: tuple[str, ...] = ()
    moment: Moment = field(default_factory=Moment)
    media: Media = field(default_factory=Media)
    json_ld: tuple[dict[str, Any], ...] = ()
    open_graph: dict[str, str] = field(default_factory=dict)
    truncated: bool = False

    @property
    def slides(self) -> tuple[Link, ...]:
        return self.media.slides

    @property
    def videos(self) -> tuple[Link, ...]:
        return self.media.videos

    @property
    def captions(self) -> tuple[Link, ...]:
        return self.media.captions

    @property
    def players(self) -> tuple[Link, ...]:
        return self.media.players


def read_page(data: bytes, url: str) -> EventPage:
    """The text comes last: taking it out removes what the other readers look at."""
    tree = parse_html(data)
    base_url = _base_url(tree, url)
    json_ld = tuple(_json_ld(tree))[:MAX_JSON_LD_ITEMS]
    open_graph = _open_graph(tree)
    around = _around_text(tree)
    body = without_surroundings(tree)
    if body is None or not (text_of(body) or tree.css("video, iframe")):
        raise UnsupportedFile("Expected a web page with text, found one without any")
    title = _title(tree, body, json_ld, open_graph)[:MAX_TITLE_CHARACTERS]
    speakers = find_speakers(tree, body, json_ld)
    moment = _moment(body, json_ld, around)
    media = find_media(body, base_url, stated=_stated_videos(json_ld, open_graph))
    markdown = to_markdown(main_content(body), base_url)
    return EventPage(
        url=url,
        title=title,
        markdown=markdown,
        language=_stated_language(tree, open_graph) or detect_language(markdown),
        speakers=speakers,
        moment=moment,
        media=media,
        json_ld=json_ld,
        open_graph=open_graph,
        truncated=len(data) > READ_BYTES,
    )


def _base_url(tree: LexborHTMLParser, url: str) -> str:
    base = tree.css_first("base[href]")
    return (absolute_url(url, attribute(base, "href")) if base is not None else None) or url


def _open_graph(tree: LexborHTMLParser) -> dict[str, str]:
    tags = tree.css("meta[property^='og:']")
    return {
        attribute(tag, "property"): attribute(tag, "content") for tag in tags if attribute(tag, "content")
    }


def _json_ld(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    for script in tree.css("script[type='application/ld+json']"):
        try:
            content = json.loads(script.text(deep=True))
        except (ValueError, RecursionError):
            continue
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, dict):
                graph = item.get("@graph")
                yield from (
                    (one for one in graph if isinstance(one, dict)) if isinstance(graph, list) else (item,)
                )


def _is_talk(item: dict[str, Any]) -> bool:
    types = item.get("@type")
    named = types if isinstance(types, list) else [types]
    return any(isinstance(name, str) and name.endswith(_TALK_TYPES) for name in named)


def _title(
    tree: LexborHTMLParser, body: LexborNode, json_ld: Sequence[dict[str, Any]], open_graph: dict[str, str]
) -> str:
    """Structured data first; then the heading that the page's own metadata confirms."""
    for item in json_ld:
        name = item.get("name") or item.get("headline")
        if _is_talk(item) and isinstance(name, str) and name.strip():
            return " ".join(name.split())
    shared = open_graph.get("og:title", "")
    page_title = text_of(tree.css_first("head title"))
    site = open_graph.get("og:site_name", "")
    headings = [text for node in body.css("h1, h2") if (text := text_of(node)) and text != site]
    for stated in (shared, page_title):
        if confirmed := [heading for heading in headings if heading in stated]:
            return max(confirmed, key=len)
    first_heading = headings[0] if headings else ""
    return " ".join(shared.split()) or first_heading or _TITLE_PARTS.split(page_title)[0]


def _stated_videos(json_ld: Sequence[dict[str, Any]], open_graph: dict[str, str]) -> list[str]:
    """JSON-LD says where a recording is, or its player; so do the tags that networks read."""
    found: list[Any] = []
    for item in json_ld:
        about = [item, *(item.get(name) for name in ("video", "recordedIn", "subjectOf"))]
        videos = [one for one in about if isinstance(one, dict) and one.get("@type") in _RECORDING_TYPES]
        found += [one.get(name) for one in videos for name in ("contentUrl", "embedUrl")]
    found += [
        open_graph.get(name) for name in ("og:video:secure_url", "og:video:url", "og:video", "og:audio")
    ]
    return [one for one in found if isinstance(one, str) and one]


def _stated_language(tree: LexborHTMLParser, open_graph: dict[str, str]) -> str:
    root = tree.css_first("html")
    stated = language_code(attribute(root, "lang") or attribute(root, "xml:lang")) if root is not None else ""
    header = tree.css_first("meta[http-equiv='content-language' i]")
    return (
        stated
        or language_code(open_graph.get("og:locale", ""))
        or (language_code(attribute(header, "content")) if header is not None else "")
    )


def _around_text(tree: LexborHTMLParser) -> str:
    """Breadcrumbs often name the day; they are removed with the navigation later."""
    return " ".join(text_of(node) for node in tree.css("[class*=breadcrumb], [id*=breadcrumb]")[:3])[
        :TIME_CHARACTERS
    ]


def _moment(body: LexborNode, json_ld: Sequence[dict[str, Any]], around: str) -> Moment:
    found = Moment()
    for item in json_ld:
        if _is_talk(item) and isinstance(item.get("startDate"), str):
            found = found.or_else(from_iso(item["startDate"], str(item.get("endDate") or "")))
    for node in body.css("time[datetime]")[:3]:
        found = found.or_else(from_iso(attribute(node, "datetime")))
    if found.day and found.start and found.end:
        return found
    return found.or_else(from_text(around)).or_else(from_text(text_of(body)[:TIME_CHARACTERS]))
