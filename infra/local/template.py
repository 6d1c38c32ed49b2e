"""Reads routes, methods and function names from template.yaml, the single source of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = "AWS::Serverless::Function"


@dataclass(frozen=True, kw_only=True)
class HttpRoute:
    """One HttpApi event of a function."""

    function: str
    method: str
    path: str


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's tags, whose values are not needed here."""


def _ignore_tag(loader: _Loader, suffix: str, node: yaml.Node) -> Any:
    return suffix


_Loader.add_multi_constructor("!", _ignore_tag)


def template_file() -> Path:
    """In a checkout at its root; in an installed package beside this one."""
    checkout = ROOT / "template.yaml"
    return checkout if checkout.exists() else ROOT / "infra" / "template.yaml"


def http_routes(path: Path | None = None) -> list[HttpRoute]:
    template = yaml.load((path or template_file()).read_text("utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    found = []
    for resource in template["Resources"].values():
        if resource["Type"] != FUNCTION:
            continue
        properties = resource["Properties"]
        name = properties["Environment"]["Variables"]["FUNCTION_TARGET"]
        for event in properties.get("Events", {}).values():
            if event["Type"] == "HttpApi":
                where = event["Properties"]
                found.append(HttpRoute(function=name, method=where["Method"], path=where["Path"]))
    return found


def function_source(name: str) -> Path:
    return ROOT / "functions" / name / "main.py"
