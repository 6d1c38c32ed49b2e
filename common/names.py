"""Names that come from outside, made safe for a path, an object key, a header and a log line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote

MAX_CHARACTERS = 80
MAX_BYTES = 240  # file systems stop at 255 bytes, and 80 characters may need 320
LOG_CHARACTERS = 200
BLANK = "_"  # as in the users' own vaults: FOSDEM_2025/assets/welcome_fosdem

# Forbidden by Windows, or with a meaning inside an Obsidian link.
_REPLACED = str.maketrans(
    {"/": "-", "\\": "-", "|": "-", "[": "(", "]": ")"} | dict.fromkeys(':*?"<>#^', " ")
)
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")
_EDGES = ". "


def safe_name(text: str, *, fallback: str = "unnamed") -> str:
    """One path component: readable, short, harmless on every system, and unchanged if given again."""
    name = _without_invisible(unicodedata.normalize("NFC", text)).translate(_REPLACED)
    name = re.sub(r"\.{2,}", ".", " ".join(name.split())).strip(_EDGES)
    name = unicodedata.normalize("NFC", name.replace(" ", BLANK))
    if not name.strip(BLANK + _EDGES):
        return fallback
    return _shortened(_not_a_device(name))


def safe_path(*parts: str) -> str:
    """A relative path of safe components; a slash inside a part does not make a folder."""
    return "/".join(safe_name(part) for part in parts)


def unique_names(names: Iterable[str]) -> list[str]:
    """The same safe names in the same order, numbered where two would meet on a case-blind disk."""
    wanted = [safe_name(name) for name in names]
    taken = {collision_key(name) for name in wanted}
    seen: set[str] = set()
    next_number: dict[str, int] = {}
    result = []
    for name in wanted:
        key = collision_key(name)
        if key in seen:
            name = numbered_name(name, taken, next_number)
        seen.add(key)
        result.append(name)
    return result


def numbered_name(name: str, taken: set[str], next_number: dict[str, int]) -> str:
    """`name_2`, `name_3` …: the next that is free. Both arguments remember what was given out."""
    key = collision_key(name)
    suffix = _suffix(name)
    number = next_number.get(key, 2)
    while True:
        mark = f"{BLANK}{number}"
        stem = _shortened(name.removesuffix(suffix), reserve=len(mark + suffix))
        candidate = f"{stem}{mark}{suffix}"
        number += 1
        if collision_key(candidate) not in taken:
            taken.add(collision_key(candidate))
            next_number[key] = number
            return candidate


def collision_key(name: str) -> str:
    """Two names with one key cannot stand in one folder on macOS or Windows."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", folded)


def content_disposition(filename: str, *, inline: bool = False) -> str:
    """The header value of RFC 6266, with a plain name for old clients and the real one for the rest."""
    name = safe_name(filename)
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = re.sub(r"[^A-Za-z0-9._ ()+-]", "_", plain).strip(_EDGES) or "download"
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def log_safe(text: object, *, limit: int = LOG_CHARACTERS) -> str:
    """A value for one log line: what could break or forge a line is shown escaped."""
    value = str(text)
    cut = value[:limit] + ("…" if len(value) > limit else "")
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in cut
    )


def _without_invisible(text: str) -> str:
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in ("Cf", "Cs"):  # direction marks, zero widths, halves of a character
        return ""
    return " " if kind == "Cc" else character


def _not_a_device(name: str) -> str:
    stem = name.split(".", 1)[0].rstrip(BLANK + " ")
    return f"_{name}" if stem.casefold() in _DEVICES else name


def _shortened(name: str, *, reserve: int = 0) -> str:
    """Cut at a word's end where one is near; the suffix of a file name stays."""
    if _fits(name, reserve):
        return name
    suffix = _suffix(name)
    stem = name.removesuffix(suffix)[:MAX_CHARACTERS]
    while not _fits(stem + suffix, reserve):
        stem = stem[:-1]
    word_end = stem.rfind(BLANK)
    if word_end > len(stem) * 2 // 3:
        stem = stem[:word_end]
    return stem.rstrip(_EDGES + BLANK) + suffix


def _fits(name: str, reserve: int) -> bool:
    return len(name) + reserve <= MAX_CHARACTERS and len(name.encode()) + reserve <= MAX_BYTES


def _suffix(name: str) -> str:
    match = _SUFFIX.search(name)
    return match.group() if match else ""
