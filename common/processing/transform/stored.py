"""Templates that an operator keeps in the object store."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from common.objects.store import ObjectStore
from common.processing.transform.library import is_template_name
from common.processing.transform.template import MAX_CHARACTERS

MAX_TEMPLATES = 500
MAX_BYTES = 4 * MAX_CHARACTERS  # as UTF-8


def fetch_templates(objects: ObjectStore, prefix: str | None, folder: Path) -> tuple[Path, ...]:
    """A local folder with the templates below a prefix; none where no prefix is set."""
    if not prefix:
        return ()
    folder.mkdir(parents=True, exist_ok=True)
    names = [(key, size) for key, size in objects.listing(f"{prefix.strip('/')}/") if key.endswith(".md")]
    for key, size in names[:MAX_TEMPLATES]:
        stem = PurePosixPath(key).stem
        if is_template_name(stem) and size <= MAX_BYTES:
            (folder / f"{stem}.md").write_bytes(objects.get(key))
    return (folder,)
