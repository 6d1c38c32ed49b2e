"""Where templates are found: the operator's folders first, then the ones that come with the service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from common.errors import TemplateError
from common.names import log_safe
from common.processing.transform.template import Template, parse_template

BUNDLED = Path(__file__).parent / "templates"
FALLBACK_LANGUAGE = "en"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_LANGUAGE = re.compile(r"(?P<name>.+)_(?P<language>[a-z]{2})")


@dataclass(frozen=True, kw_only=True)
class TemplateFile:
    stem: str  # name and language, as the file has them
    name: str
    language: str  # empty: for every language
    bundled: bool


def is_template_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name))


def list_templates(folders: Iterable[Path] = (), *, stored: Iterable[str] = ()) -> list[TemplateFile]:
    """Every template once; one of the operator's hides the bundled one of the same name. `stored` are the
    stems of those in the object store."""
    own = {stem for folder in folders for stem in _stems_in(folder)} | set(stored)
    found = [_template_file(stem, bundled=stem not in own) for stem in own | _stems_in(BUNDLED)]
    return sorted(found, key=lambda one: (one.name, one.language))


def find_template(name: str, *, language: str, folders: Iterable[Path] = ()) -> Template:
    """`Session` in the language asked for, else in English, else the one that names no language."""
    if not is_template_name(name):
        raise TemplateError(f"Not a template's name: {log_safe(name)!r}; expected letters, digits, - and _")
    places = tuple(folders)
    for stem in _stems(name, language.lower()[:2]):
        for folder in (*places, BUNDLED):
            path = folder / f"{stem}.md"
            if path.is_file():
                return parse_template(_read(path), name=stem)
    known = sorted({one.name for one in list_templates(places)})
    raise TemplateError(
        f"No template {log_safe(name)!r}; known are: {', '.join(known)}", details={"known": known}
    )


def template_of(
    name: str | None, content: str | None, *, language: str, folders: Iterable[Path] = ()
) -> Template:
    """The one that was handed in, else the one that was named."""
    if content is not None:
        return parse_template(content, name="template_content")
    return find_template(name or "", language=language, folders=folders)


def _stems_in(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.md") if is_template_name(path.stem)}


def _template_file(stem: str, *, bundled: bool) -> TemplateFile:
    match = _LANGUAGE.fullmatch(stem)
    name, language = (match["name"], match["language"]) if match else (stem, "")
    return TemplateFile(stem=stem, name=name, language=language, bundled=bundled)


def _stems(name: str, language: str) -> Iterator[str]:
    yield from (f"{name}_{language}", f"{name}_{FALLBACK_LANGUAGE}", name)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise TemplateError(
            f"Template {log_safe(path.stem)!r} cannot be read; expected a UTF-8 text file"
        ) from error
