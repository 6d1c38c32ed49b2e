"""Addresses as pages and schedules write them, made fetchable."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit


def absolute_url(base: str, href: str | None, *, keep_fragment: bool = False) -> str | None:
    """A fetchable URL, blanks encoded; None for mail, scripts, fragments and what cannot be parsed."""
    if not href or href.lstrip().startswith("#"):
        return None
    try:
        parts = urlsplit(urljoin(base, " ".join(href.split())))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._[]")
    fragment = quote(parts.fragment, safe="/?%:@!$&'()*+,;=~-._[]#") if keep_fragment else ""
    return urlunsplit((parts.scheme, parts.netloc, path, query, fragment))


def suffix_of(url: str) -> str:
    """`.pdf` of `…/slides.pdf?x=1`; empty where the path has none or is no path."""
    try:
        return PurePosixPath(unquote(urlsplit(url).path)).suffix.lower()
    except ValueError:
        return ""
