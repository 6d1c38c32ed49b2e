"""template.yaml as CloudFormation sees it: `!Ref X` is written out as `{"Ref": "X"}`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from infra.local.template import template_file

Template = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms written out."""


def _long_form(loader: _Loader, suffix: str, node: yaml.Node) -> Template:
    name = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
        return {name: value.split(".", 1) if suffix == "GetAtt" else value}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    raise TypeError(f"!{suffix}: expected a text or a list, found {type(node).__name__}")


_Loader.add_multi_constructor("!", _long_form)


def load(path: Path | None = None) -> Template:
    text = (path or template_file()).read_text("utf-8")
    loaded: Template = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    return loaded


def functions(template: Template) -> dict[str, Template]:
    """The properties of every function by its logical name."""
    return {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    }
