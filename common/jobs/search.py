"""The words under which a job is found. They are kept with the job, so that a search is an index scan."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

SEARCHED = ("event", "session", "track", "filename", "speakers", "template")
MOST_WORDS = 32  # of one job; each is an entry in an index
LONGEST_WORD = 40
_WORD = re.compile(r"[^\W_]+")


def words_of(job_name: str | None, parameters: Mapping[str, Any]) -> list[str]:
    """From its name and those parameters that a person would remember."""
    texts = [job_name or "", *_texts(parameters), _url_name(parameters.get("url"))]
    return list(dict.fromkeys(word for text in texts for word in words(text)))[:MOST_WORDS]


def words(text: str) -> Iterator[str]:
    """Folded, so that neither case nor accents matter: `Größe` is found as `grosse`."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    for match in _WORD.finditer(plain):
        yield match.group()[:LONGEST_WORD]


def _texts(parameters: Mapping[str, Any]) -> Iterator[str]:
    for name in SEARCHED:
        value = parameters.get(name)
        yield from value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _url_name(url: Any) -> str:
    """The host and the last part of the path: `fosdem.org` and `slides.pdf`, not every folder between."""
    if not isinstance(url, str):
        return ""
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''} {unquote(parts.path.rstrip('/').rsplit('/', 1)[-1])}"
    except ValueError:
        return ""
