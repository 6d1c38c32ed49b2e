"""manifest.json: every file of an archive with size and sha256, and what made it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from common.archive.entry import Entry, bytes_entry

MANIFEST_NAME = "manifest.json"
FORMAT = "secretary-vault"
FORMAT_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What made the files: equal origins and equal files give equal archives, so no time stands here."""

    engines: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def manifest_entry(entries: Iterable[Entry], origin: Origin) -> Entry:
    content = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "engines": dict(origin.engines),
        "options": dict(origin.options),
        "files": [{"path": entry.path, "size": entry.size, "sha256": entry.sha256} for entry in entries],
    }
    return bytes_entry(MANIFEST_NAME, json_bytes(content))


def json_bytes(content: object) -> bytes:
    """JSON that is the same for equal content and pleasant to read."""
    return (json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True, default=str) + "\n").encode()
