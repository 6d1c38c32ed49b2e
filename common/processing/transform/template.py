"""A template: Markdown with front matter, questions for the model and places for values.

`{{name|question}}` asks the model, `{{name}}` is a value, `{slides}` and `{videoplayer}` are blocks that
the renderer makes; what follows a line `--- systemprompt` tells the model how to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from common.errors import TemplateError
from common.names import log_safe
from common.processing.transform.schema import Field, field_type
from common.text import as_text

MAX_CHARACTERS = 200_000
MAX_FIELDS = 100
MAX_DEPTH = 20  # of lists and objects in the front matter

# Values every template may name; those a job does not know are empty.
VARIABLES = frozenset(
    {
        "title", "event", "session", "track", "speakers", "date", "day", "starttime", "endtime", "duration",
        "url", "filename", "text", "web_text", "video_transcript", "attachments_text", "video_url",
        "attachments_url", "language", "source_language", "target_language", "pages",
    }
)  # fmt: skip
PLACE = re.compile(
    r"\{\{\s*(?P<name>[^{}|]*?)\s*(?:\|(?P<question>[^{}]*))?\}\}|\{(?P<block>slides|videoplayer)\}"
)
_FIELD_NAME = re.compile(r"[^\W\d]\w{0,63}")
_SYSTEM_PROMPT = re.compile(r"^---[ \t]*systemprompt[ \t]*$", re.IGNORECASE | re.MULTILINE)
_MARKER = "placeholder-{}-of-template"
_MARKERS = re.compile(r"placeholder-(\d+)-of-template")


@dataclass(frozen=True, kw_only=True)
class Template:
    name: str
    front_matter: dict[str, Any] | None  # strings may hold markers; see `resolve`
    places: tuple[str, ...]  # the names behind the markers
    body: str
    system_prompt: str
    fields: tuple[Field, ...]  # what the model is asked

    @property
    def names(self) -> set[str]:
        """Every name the template uses, asked or not."""
        in_body = {match["name"] for match in PLACE.finditer(self.body) if match["name"]}
        return in_body | set(self.places)

    def check_names(self, known: Iterable[str]) -> None:
        """Refuse a name that nothing fills: most often a typing error."""
        expected = VARIABLES | set(known) | {field.name for field in self.fields}
        if unknown := sorted(self.names - expected):
            raise TemplateError(
                f"Template {log_safe(self.name)!r}: unknown field {log_safe(unknown[0])!r}; expected one of"
                f" {', '.join(sorted(expected))}, or a question: {{{{{log_safe(unknown[0])}|What …?}}}}",
                details={"unknown": unknown, "expected": sorted(expected)},
            )


def parse_template(text: str, *, name: str = "template") -> Template:
    if len(text) > MAX_CHARACTERS:
        raise _error(name, f"found {len(text)} characters, expected at most {MAX_CHARACTERS}")
    content, system_prompt = _split_system_prompt(text.replace("\r\n", "\n").removeprefix("\ufeff"))
    head, body = _split_front_matter(content, name)
    fields = _fields(f"{head or ''}\n{body}", name)
    front_matter, places = _parse_front_matter(head, name) if head is not None else (None, ())
    return Template(
        name=name,
        front_matter=front_matter,
        places=places,
        body=body.strip("\n") + "\n",
        system_prompt=system_prompt,
        fields=fields,
    )


def resolve(template: Template, values: dict[str, Any]) -> dict[str, Any]:
    """The front matter with its values: one that stands alone keeps its type, others become text."""
    filled = _filled(template.front_matter or {}, template.places, values)
    return filled if isinstance(filled, dict) else {}


def _split_system_prompt(text: str) -> tuple[str, str]:
    match = _SYSTEM_PROMPT.search(text)
    return (text[: match.start()], text[match.end() :].strip()) if match else (text, "")


def _split_front_matter(text: str, name: str) -> tuple[str | None, str]:
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return None, text
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == "---":
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    raise _error(name, "the front matter that starts in line 1 has no end; expected a line '---' after it")


def _fields(text: str, name: str) -> tuple[Field, ...]:
    """The questions, each name once; a name asked twice keeps its first question."""
    fields: dict[str, Field] = {}
    for match in PLACE.finditer(text):
        found = match["name"]
        if found is None:
            continue
        if not _FIELD_NAME.fullmatch(found):
            raise _error(
                name, f"found {log_safe(match.group())!r}; expected {{{{name}}}} or {{{{name|question}}}}"
            )
        question = " ".join((match["question"] or "").split())
        if question and found not in fields:
            fields[found] = Field(name=found, question=question, type=field_type(question))
    if len(fields) > MAX_FIELDS:
        raise _error(name, f"found {len(fields)} questions, expected at most {MAX_FIELDS}")
    return tuple(fields.values())


def _parse_front_matter(head: str, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    places: list[str] = []

    def marked(match: re.Match[str]) -> str:
        places.append(match["name"] or match["block"])
        return _MARKER.format(len(places) - 1)

    try:
        text = PLACE.sub(marked, head)
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise _error(name, "found a YAML alias (*name) in the front matter; expected plain values")
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise _error(name, f"the front matter is not YAML: {_yaml_fault(error)}") from error
    if content is None:
        content = {}
    if not isinstance(content, dict):
        raise _error(name, f"the front matter is a {type(content).__name__}; expected lines 'name: value'")
    if _deeper_than(content, MAX_DEPTH):
        raise _error(name, f"the front matter nests deeper than {MAX_DEPTH} levels")
    return {str(key): value for key, value in content.items()}, tuple(places)


def _yaml_fault(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "a value that cannot be read"
    # The mark counts from 0 below the opening line, people count from 1.
    return f"{log_safe(problem)} in line {mark.line + 2}" if mark else log_safe(problem)


def _deeper_than(content: Any, limit: int) -> bool:
    level = [content]
    for _ in range(limit):
        inside = [
            node.values() if isinstance(node, dict) else node
            for node in level
            if isinstance(node, (dict, list))
        ]
        level = [child for children in inside for child in children]
        if not level:
            return False
    return True


def _filled(node: Any, places: tuple[str, ...], values: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        return {_filled_key(key, places, values): _filled(item, places, values) for key, item in node.items()}
    if isinstance(node, list):
        return [_filled(item, places, values) for item in node]
    if not isinstance(node, str):
        return node
    if alone := _MARKERS.fullmatch(node):
        return _value(alone, places, values)
    return _MARKERS.sub(lambda match: as_text(_value(match, places, values)), node)


def _filled_key(key: Any, places: tuple[str, ...], values: dict[str, Any]) -> Any:
    return as_text(_filled(key, places, values)) if isinstance(key, str) else key


def _value(match: re.Match[str], places: tuple[str, ...], values: dict[str, Any]) -> Any:
    number = int(match.group(1))
    return values.get(places[number]) if number < len(places) else match.group()


def _error(name: str, message: str) -> TemplateError:
    return TemplateError(f"Template {log_safe(name)!r}: {message}")
