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
    for stem, key in stored_templates(objects, prefix).items():
        (folder / f"{stem}.md").write_bytes(objects.get(key))
    return (folder,)


def stored_templates(objects: ObjectStore, prefix: str | None) -> dict[str, str]:
    """The keys of the templates below a prefix, by their names with the language."""
    if not prefix:
        return {}
    listed = [(key, size) for key, size in objects.listing(f"{prefix.strip('/')}/") if key.endswith(".md")]
    found = ((PurePosixPath(key).stem, key, size) for key, size in listed[:MAX_TEMPLATES])
    return {stem: key for stem, key, size in found if is_template_name(stem) and size <= MAX_BYTES}
