"""Front matter as real YAML: typed values, escaped by the library and never by hand."""

from __future__ import annotations

from typing import Any

import yaml


def front_matter(values: dict[str, Any]) -> str:
    """The block between two lines of dashes; nothing at all where there are no values."""
    if not values:
        return ""
    text = yaml.safe_dump(
        _plain(values), allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=False
    )
    return f"---\n{text}---\n"


def _plain(value: Any) -> Any:
    """What YAML can carry; a half character from a broken source cannot be written as UTF-8."""
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value
