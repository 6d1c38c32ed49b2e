"""The part of a page that is about the talk, as Markdown: navigation, banners and footers left out."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from common.processing.session.html import attribute, remove_all, text_of
from common.processing.session.url import absolute_url

MARKDOWN_DEPTH = 150  # deeper trees are layout accidents or attacks: their plain text is taken
DOMINANT_SHARE = 0.7  # a child that holds this much of the text is where the content is
MARKDOWN_ELEMENTS = 30_000  # about a second's work; a page of a talk has some hundred
LAYOUT_DEPTH = 40
MAIN_CANDIDATES = 20
MAIN_SHARE = 0.25  # an <article> that holds less than this is a teaser, not the content

_NEVER_SHOWN = (
    "script, style, noscript, template, svg, canvas, object, embed, form, button, input, select, dialog"
)
_AROUND = (
    "nav, footer, [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=menu],"
    " [aria-hidden=true], .skip-link, .breadcrumb, #breadcrumbs"
)
_BANNER = re.compile(r"\b(cookie|consent|gdpr|newsletter|share-buttons|social-links)", re.IGNORECASE)
_BLOCKS = "div, p, section, ul, ol, table, h1, h2, h3, h4"
_MAIN = "article, main, [role=main], #main, #content"


def without_surroundings(tree: LexborHTMLParser) -> LexborNode | None:
    """The body with everything removed that belongs to the site rather than to this page."""
    body = tree.body
    if body is None:
        return None
    around = [*body.css(_NEVER_SHOWN), *body.css(_AROUND)]
    remove_all(body, [*around, *_banners(body), *_site_headers(body)])
    return body


def main_content(body: LexborNode) -> LexborNode:
    candidates = body.css(_MAIN)[:MAIN_CANDIDATES]
    best = max(candidates, key=lambda node: len(text_of(node)), default=None)
    if best is not None and len(text_of(best)) >= MAIN_SHARE * len(text_of(body)):
        return best
    return _densest(body)


def to_markdown(node: LexborNode, base_url: str) -> str:
    """Asides and players are not text; links become absolute, so that the Markdown can stand anywhere."""
    remove_all(node, node.css("aside, iframe, video, audio"))
    for link in node.css("a[href]"):
        url = absolute_url(base_url, attribute(link, "href"), keep_fragment=True)
        link.attrs["href"] = (url or "").replace("(", "%28").replace(")", "%29")
        if not url or link.css_first(_BLOCKS) is not None:  # a link around paragraphs is none in Markdown
            link.unwrap()
    if len(node.css("*")) > MARKDOWN_ELEMENTS or _deeper_than(node, MARKDOWN_DEPTH):
        return text_of(node)
    return _tidy(_markdownify(node.inner_html or ""))  # the inside: a layout's cell is no table


def _markdownify(html: str) -> str:
    from markdownify import markdownify

    return str(
        markdownify(
            html,
            heading_style="ATX",
            bullets="-",
            strip=["img"],
            escape_underscores=False,
            escape_asterisks=False,
        )
    )


def _tidy(markdown: str) -> str:
    lines = [line.rstrip() for line in markdown.replace("\r", "").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _banners(body: LexborNode) -> list[LexborNode]:
    marked = body.css("div[class], div[id], section[class], section[id], aside[class], aside[id]")
    return [node for node in marked if _BANNER.search(f"{attribute(node, 'class')} {attribute(node, 'id')}")]


def _site_headers(body: LexborNode) -> list[LexborNode]:
    """A header inside the article names the talk; one outside names the site."""
    inside = {header.mem_id for header in body.css("article header, main header")}
    return [header for header in body.css("header") if header.mem_id not in inside]


def _densest(node: LexborNode) -> LexborNode:
    """Walk down as long as one child holds nearly all the text that is not a link."""
    for _ in range(LAYOUT_DEPTH):
        whole = _prose_length(node)
        children = [child for child in node.iter() if child.tag not in ("p", "ul", "ol", "dl")]
        best = max(children, key=_prose_length, default=None)
        if best is None or not whole or _prose_length(best) < DOMINANT_SHARE * whole:
            break
        node = best
    return node


def _prose_length(node: LexborNode) -> int:
    return len(text_of(node)) - sum(len(text_of(link)) for link in node.css("a"))


def _deeper_than(node: LexborNode, limit: int) -> bool:
    level = [node]
    for _ in range(limit):
        level = [child for parent in level for child in parent.iter()]
        if not level:
            return False
    return True
