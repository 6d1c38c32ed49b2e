"""Reads a JSON body, and refuses at the door what no database could keep."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from common.errors import BadRequest

DEEPEST = 64  # MongoDB stops at 100 levels, and a document adds some of its own
LARGEST_INTEGER = 2**63 - 1


def read_object(body: bytes) -> dict[str, Any]:
    try:
        value = from_json(body or b"{}", allow_inf_nan=False)
    except ValueError as error:
        raise BadRequest(f"The body is not valid JSON: {error}. Expected a JSON object.") from None
    if not isinstance(value, dict):
        raise BadRequest(f"Expected a JSON object as body, found {_json_name(value)}.")
    _check_storable(value)
    return value


def _check_storable(root: Any) -> None:
    """Walks with a list instead of recursion: depth comes from outside."""
    waiting = [(root, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise BadRequest(f"The body is nested deeper than {DEEPEST} levels.")
        if isinstance(value, dict):
            if any("\x00" in name for name in value):
                raise BadRequest("A field name in the body contains a NUL character.")
            waiting.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            waiting.extend((item, depth + 1) for item in value)
        elif isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            raise BadRequest("A number in the body does not fit into 64 bits.")


def _json_name(value: Any) -> str:
    names = {list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
