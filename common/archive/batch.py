"""One vault for a whole batch: the files of many jobs side by side, an index page and the failures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from common.archive.entry import Entry, bytes_entry
from common.archive.index import Card, Failure, index_page
from common.archive.links import SESSIONS_FOLDER, link_path
from common.archive.manifest import Origin, json_bytes
from common.archive.readme import readme
from common.archive.vault import vault
from common.names import collision_key, numbered_name, unique_names

INDEX_NAME = "index.md"
ERRORS_NAME = "errors.json"
DOCUMENTS_FOLDER = "documents"


@dataclass(frozen=True, kw_only=True)
class JobFiles:
    """What one finished job gives to the batch. `card` is its line on the index page."""

    name: str
    entries: tuple[Entry, ...]
    card: Card | None = None


def batch_vault(
    jobs: Iterable[JobFiles],
    failures: Sequence[Failure] = (),
    *,
    title: str,
    language: str = "en",
    origin: Origin | None = None,
) -> Iterator[bytes]:
    entries, cards = merge_jobs(jobs)
    index = index_page(cards, failures, title=title, language=language)
    pages = [
        bytes_entry(INDEX_NAME, index.encode()),
        bytes_entry(ERRORS_NAME, errors_json(failures)),
    ]
    facts = {
        "sessions": str(len(cards)),
        "failed": str(len(failures)) if failures else "",
        "note": f"[[{INDEX_NAME.removesuffix('.md')}]]",
    }
    return vault(
        [*pages, *entries], readme=readme(title=title, facts=facts, language=language), origin=origin
    )


def errors_json(failures: Sequence[Failure]) -> bytes:
    return json_bytes(
        {
            "errors": [
                {"job_id": one.job_id, "job_name": one.name, "url": one.url, "error": dict(one.error)}
                for one in failures
            ]
        }
    )


def merge_jobs(jobs: Iterable[JobFiles]) -> tuple[list[Entry], list[Card]]:
    """All files once: equal ones are shared, different ones of one path are numbered, links follow."""
    members = list(jobs)
    folders = unique_names(member.name for member in members)
    merged = _Merged()
    cards: list[Card] = []
    for member, folder in zip(members, folders, strict=True):
        placed = [replace(entry, path=_place(entry.path, folder)) for entry in member.entries]
        moved = merged.add_job(placed)
        if member.card:
            path = _place(member.card.markdown_path, folder)
            cards.append(replace(member.card, markdown_path=moved.get(path, path)))
    return list(merged.entries.values()), cards


def _place(path: str, folder: str) -> str:
    """Files of other job types have no event to stand under: each job gets a folder of its own."""
    return path if path.startswith(f"{SESSIONS_FOLDER}/") else f"{DOCUMENTS_FOLDER}/{folder}/{path}"


class _Merged:
    """The files of the batch so far, by the key under which a case-blind disk would find them."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._names: dict[str, set[str]] = defaultdict(set)
        self._numbers: dict[str, dict[str, int]] = defaultdict(dict)

    def add_job(self, entries: Sequence[Entry]) -> dict[str, str]:
        """Pictures first, so that a note can follow a picture that had to move. Gives the moves."""
        moved: dict[str, str] = {}
        for entry in sorted(entries, key=lambda one: (one.path.endswith(".md"), one.path)):
            self._add(_following(entry, moved), moved)
        return moved

    def _add(self, entry: Entry, moved: dict[str, str]) -> None:
        known = self.entries.get(collision_key(entry.path))
        if known is not None and known.sha256 == entry.sha256:
            return
        if known is not None:
            moved[entry.path] = self._free_path(entry.path)
            entry = replace(entry, path=moved[entry.path])
        folder, _, name = entry.path.rpartition("/")
        self.entries[collision_key(entry.path)] = entry
        self._names[collision_key(folder)].add(collision_key(name))

    def _free_path(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        key = collision_key(folder)
        return f"{folder}/{numbered_name(name, self._names[key], self._numbers[key])}"


def _following(entry: Entry, moved: dict[str, str]) -> Entry:
    if not moved or not entry.path.endswith(".md"):
        return entry
    targets = {link_path(old): link_path(new) for old, new in moved.items()}
    pattern = re.compile("|".join(re.escape(old) for old in sorted(targets, key=len, reverse=True)))
    text = b"".join(entry.open()).decode()
    return bytes_entry(entry.path, pattern.sub(lambda match: targets[match.group()], text).encode())
