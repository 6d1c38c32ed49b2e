"""Title and author of an OOXML package."""

from __future__ import annotations

from common.errors import UnsupportedFile
from common.processing.office.package import Package

_DC = "{http://purl.org/dc/elements/1.1/}"


def core_properties(package: Package) -> dict[str, str]:
    """Empty where the package does not say; damaged properties spoil no document."""
    part = next(
        (link.target for link in package.relationships("").values() if link.kind == "core-properties"),
        "docProps/core.xml",
    )
    try:
        root = package.xml(part)
    except UnsupportedFile:
        return {"title": "", "author": ""}
    return {
        "title": (root.findtext(f"{_DC}title") or "").strip(),
        "author": (root.findtext(f"{_DC}creator") or "").strip(),
    }
