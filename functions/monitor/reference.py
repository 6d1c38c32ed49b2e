"""The page of all routes in the documentation, written from the specification.

python -m functions.monitor.reference        writes docs/reference/routes.md
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from common.http.openapi import specification
from functions.monitor.specification import all_routes

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "routes.md"
OLD = "Old routes"  # come last
HEAD = """# Routes

Written from the specification by `python -m functions.monitor.reference`; `/docs` of a running service shows
the same with all fields. [API](api.md) explains what they have in common.
"""


def routes_page() -> str:
    found = specification(all_routes(), mode="open", version=version("secretary"))
    by_tag: dict[str, list[str]] = {}
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).append(_row(method, path, operation))
    tags = sorted(by_tag, key=lambda tag: tag == OLD)
    return "\n".join([HEAD, *(_section(tag, by_tag[tag]) for tag in tags)])


def _row(method: str, path: str, operation: dict[str, Any]) -> str:
    query = [f"`{one['name']}`" for one in operation.get("parameters", []) if one.get("in") == "query"]
    answers = ", ".join(sorted(operation["responses"]))
    return f"| `{method.upper()} {path}` | {operation['summary']} | {' '.join(query)} | {answers} |"


def _section(tag: str, rows: list[str]) -> str:
    return "\n".join([f"## {tag}", "", "| route | what | query | answers |", "|---|---|---|---|", *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(routes_page(), "utf-8")
