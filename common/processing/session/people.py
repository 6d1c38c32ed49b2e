"""Names of people, however a page or a schedule lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_NAME_CHARACTERS = 80
MAX_PEOPLE = 50

_BETWEEN = re.compile(r"\s*(?:,|;|&|·|\s+and\s+|\s+und\s+|\s+et\s+)\s*")


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Each once, in order; what is too long for a name is none."""
    tidy = (" ".join(name.split()) for name in names)
    return tuple(dict.fromkeys(name for name in tidy if 0 < len(name) <= MAX_NAME_CHARACTERS))[:MAX_PEOPLE]


def split_names(text: str) -> list[str]:
    return [name for name in _BETWEEN.split(text) if name]
