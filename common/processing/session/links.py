"""Which links of a page lead to the slides, the recording, its captions and its player."""

from __future__ import annotations

from collections.abc import Iterable

from selectolax.lexbor import LexborNode

from common.processing.session.html import attribute, text_of
from common.processing.session.media import (
    CAPTION_SUFFIXES,
    Link,
    Media,
    each_once,
    is_player,
    is_recording,
    is_slides,
)
from common.processing.session.url import absolute_url, suffix_of

# Tracks may also hold chapters or data for scripts.
_SPOKEN_TRACKS = ("", "captions", "subtitles")


def find_media(body: LexborNode, base_url: str, *, stated: Iterable[str] = ()) -> Media:
    """`stated` are recordings that the page's metadata name; they come last."""
    anchors = [(node, link) for node in body.css("a[href]") if (link := _link(node, base_url, "href"))]
    sources = [
        link
        for node in body.css("video, audio, video source, audio source")
        if (link := _link(node, base_url, "src"))
    ]
    tracks = [
        link
        for node in body.css("track")
        if attribute(node, "kind").lower() in _SPOKEN_TRACKS and (link := _link(node, base_url, "src"))
    ]
    named = [Link(url=url) for href in stated if (url := absolute_url(base_url, href))]
    frames = [link for node in body.css("iframe") if (link := _link(node, base_url, "src"))]
    return Media(
        slides=each_once(link for node, link in anchors if is_slides(link, base_url, place=_place(node))),
        videos=each_once(
            [
                *sources,
                *(link for _, link in anchors if is_recording(link)),
                *(link for link in named if is_recording(link)),
            ]
        ),
        captions=each_once(
            [*tracks, *(link for _, link in anchors if suffix_of(link.url) in CAPTION_SUFFIXES)]
        ),
        players=each_once(link for link in (*frames, *named) if is_player(link.url)),
    )


def _link(node: LexborNode, base_url: str, name: str) -> Link | None:
    url = absolute_url(base_url, attribute(node, name))
    if url is None:
        return None
    text = text_of(node) or attribute(node, "title") or attribute(node, "label")
    return Link(url=url, text=text, language=attribute(node, "srclang")[:2].lower())


def _place(node: LexborNode) -> str:
    """The names of the few elements around a link, and whether it offers itself as a download."""
    words = ["download" if "download" in node.attributes else "", attribute(node, "class")]
    parent = node.parent
    for _ in range(3):
        if parent is None or parent.tag == "body":
            break
        words += [attribute(parent, "class"), attribute(parent, "id")]
        parent = parent.parent
    return " ".join(words)
