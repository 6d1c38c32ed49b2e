"""The questions of a template as one JSON schema, and a model's answer brought into that form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class FieldType(StrEnum):
    TEXT = "text"
    LIST = "list"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"


@dataclass(frozen=True, kw_only=True)
class Field:
    """One question to the model."""

    name: str
    question: str
    type: FieldType = FieldType.TEXT


# A question says in its own words what it wants: "List of …", "ganze Zahl von 1 bis 5".
_LIST = re.compile(r"^(a |eine |une |una )?(list|liste|lista|elenco|array)\b", re.IGNORECASE)
_MARKDOWN = re.compile(r"markdown", re.IGNORECASE)
_INTEGER = re.compile(
    r"\b(integer|whole number|ganze zahl|ganzzahl|nombre entier|n[úu]mero entero|numero intero)\b", re.I
)
_NUMBER = re.compile(
    r"\b(decimal number|dezimalzahl|nombre d[ée]cimal|n[úu]mero decimal|numero decimale)\b", re.I
)
_BOOLEAN = re.compile(
    r"\b(true or false|wahr oder falsch|vrai ou faux|verdadero o falso|vero o falso|boolean)\b", re.I
)

_JSON_TYPES: dict[FieldType, dict[str, Any]] = {
    FieldType.TEXT: {"type": "string"},
    FieldType.LIST: {"type": "array", "items": {"type": "string"}},
    FieldType.INTEGER: {"type": "integer"},
    FieldType.NUMBER: {"type": "number"},
    FieldType.BOOLEAN: {"type": "boolean"},
}
_LIST_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def field_type(question: str) -> FieldType:
    if _LIST.search(question) and not _MARKDOWN.search(question):
        return FieldType.LIST
    for pattern, kind in (
        (_INTEGER, FieldType.INTEGER),
        (_NUMBER, FieldType.NUMBER),
        (_BOOLEAN, FieldType.BOOLEAN),
    ):
        if pattern.search(question):
            return kind
    return FieldType.TEXT


def json_schema(fields: Iterable[Field]) -> dict[str, Any]:
    """Strict, as structured output asks for it: every property required, none besides."""
    properties = {field.name: {**_JSON_TYPES[field.type], "description": field.question} for field in fields}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def conform(answer: dict[str, Any], fields: Iterable[Field]) -> dict[str, Any]:
    """Only what was asked, in the type that was asked; small models answer a list as text and the like."""
    return {field.name: _conformed(answer.get(field.name), field.type) for field in fields}


def _conformed(value: Any, kind: FieldType) -> Any:
    if kind is FieldType.LIST:
        return _as_list(value)
    if kind is FieldType.TEXT:
        return _as_text(value)
    if kind is FieldType.BOOLEAN:
        return value if isinstance(value, bool) else None
    return _as_number(value, whole=kind is FieldType.INTEGER)


def _as_list(value: Any) -> list[str]:
    if isinstance(value, str):
        lines = value.splitlines() if "\n" in value.strip() else value.split(",")
        value = [_LIST_ITEM.sub("", line) for line in lines]
    items = value if isinstance(value, list) else []
    return [text for item in items if (text := _as_text(item).strip())]


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {_as_text(item)}" for item in value)
    if isinstance(value, (dict, bool)) or value is None:
        return ""
    return str(value).encode("utf-8", "replace").decode().strip()


def _as_number(value: Any, *, whole: bool) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    match = re.search(r"-?\d{1,15}(?:[.,]\d{1,15})?", str(value))
    if match is None:
        return None
    number = float(match.group().replace(",", "."))
    return round(number) if whole else number
