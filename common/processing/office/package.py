"""A package of XML parts (OOXML, OpenDocument), opened within limits and parsed without entities."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from common.errors import UnsupportedFile
from common.zip_directory import ZipLimits, open_checked, read_entry

if TYPE_CHECKING:
    from lxml.etree import _Element

# A parsed part takes about ten times its size in memory; one job may use 2 GB.
XML_PART_BYTES = 96 * 1024**2
PICTURE_BYTES = 256 * 1024**2
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, kw_only=True)
class Relationship:
    """How one part points at another, or out of the package."""

    kind: str  # the last word of its type: image, hyperlink, chart …
    target: str
    external: bool


class Package:
    """Reads parts by name; what is not there or not sound raises UnsupportedFile."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str, *, limit_bytes: int = PICTURE_BYTES) -> bytes:
        return read_entry(self._archive, name, limit_bytes=limit_bytes)

    def xml(self, name: str) -> _Element:
        return parse_xml(self.read(name, limit_bytes=XML_PART_BYTES), name=name)

    def stream(self, name: str) -> IO[bytes]:
        """For parts too large to hold; the size was checked by the directory."""
        if name not in self._names:
            raise UnsupportedFile(f"The package has no entry {name!r}.")
        return self._archive.open(name)

    def relationships(self, part: str) -> dict[str, Relationship]:
        """The relationships of a part by id; empty if it has none."""
        folder, name = posixpath.split(part)
        file = posixpath.join(folder, "_rels", f"{name}.rels")
        if file not in self._names:
            return {}
        found: dict[str, Relationship] = {}
        for element in self.xml(file).iter(_RELATIONSHIP):
            external = element.get("TargetMode") == "External"
            target = element.get("Target", "")
            found[element.get("Id", "")] = Relationship(
                kind=element.get("Type", "").rsplit("/", 1)[-1],
                target=target if external else resolve(folder, target),
                external=external,
            )
        return found


@contextmanager
def open_package(path: Path, *, unpacked_bytes: int) -> Iterator[Package]:
    with open_checked(path, limits=ZipLimits(unpacked_bytes=unpacked_bytes)) as archive:
        yield Package(archive)


def parse_xml(data: bytes, *, name: str) -> _Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnsupportedFile(f"The part {name!r} of the document is not sound XML: {error}") from error
    if _declares_document_type(root):
        raise UnsupportedFile(f"The part {name!r} declares a document type, which office documents never do.")
    return root


def _declares_document_type(root: _Element) -> bool:
    information: Any = root.getroottree().docinfo
    return bool(information.doctype)


def resolve(folder: str, target: str) -> str:
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))
