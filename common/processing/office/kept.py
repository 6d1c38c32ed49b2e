"""An office document in the cache: its pages and pictures as files, and a record that is written last."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version

from common.processing.base import Cache, Context, SourceFile, StoredFile, Warning
from common.processing.office.convert import to_markdown
from common.processing.office.document import OfficeDocument
from common.processing.pages.page import text_name

RECORD = "document.json"
PLAIN_TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class OfficeCache:
    cache: Cache
    context: Context
    kept: dict[str, StoredFile]  # grows with what is written

    def document(self, source: SourceFile, *, with_pictures: bool) -> tuple[OfficeDocument, bool]:
        """The document, and whether it was there already."""
        known = self._known()
        if known is not None:
            return known, True
        found = to_markdown(
            source,
            write_asset=self._write_picture if with_pictures else None,
            limits=self.context.limits,
            scratch=self.context.scratch,
        )
        for number, page in enumerate(found.pages, 1):
            self.write(text_name(number), page.encode(), PLAIN_TEXT)
        record = asdict(found) | {"version": version("secretary")}
        self.write(RECORD, json.dumps(record, ensure_ascii=False).encode(), "application/json")
        return found, False

    def write(self, name: str, data: bytes, media_type: str) -> StoredFile:
        self.kept[name] = self.cache.write(name, data, media_type)
        return self.kept[name]

    def adopt(self, folder: str, name: str) -> str:
        return self.context.files.adopt(f"{folder}/{name}", self.kept[name]).path

    def _write_picture(self, name: str, data: bytes, media_type: str) -> str:
        self.write(name, data, media_type)
        return f"images/{name}"

    def _known(self) -> OfficeDocument | None:
        if RECORD not in self.kept:
            return None
        record = json.loads(self.cache.read(RECORD))
        if record.pop("version") != version("secretary"):
            return None
        warnings = tuple(Warning(**item) for item in record.pop("warnings"))
        pages, assets = tuple(record.pop("pages")), tuple(record.pop("assets"))
        return OfficeDocument(**record, pages=pages, assets=assets, warnings=warnings)
