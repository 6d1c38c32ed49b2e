"""The schema of a job request: one form for each job type, with the parameters of that type's own model."""

from __future__ import annotations

import copy
from typing import Any

from common.jobs.requests import OLD_DEFAULT_TYPE
from common.processing.registry import OLD_NAMES, JobType, job_types

Schema = dict[str, Any]
PREFIX = "#/components/schemas/"


def add_job_schemas(schemas: Schema) -> None:
    """Replaces the plain requests by the union of what each type takes."""
    if "JobRequest" not in schemas:
        return
    base = schemas["JobRequest"]
    forms: dict[str, Schema] = {}
    for kind in job_types().values():
        schemas |= _parameter_schemas(kind)
        forms[kind.name] = _form(base, kind)
    _add_union(schemas, "", forms)
    if OLD_DEFAULT_TYPE in forms:
        old = copy.deepcopy(forms[OLD_DEFAULT_TYPE]) | {"required": ["parameters"]}
        names = old["properties"]["job_type"]["enum"]
        old["properties"]["job_type"] = {"enum": [*names, None]}
        _add_union(schemas, "Old", {OLD_DEFAULT_TYPE: old} | {
            name: form for name, form in forms.items() if name != OLD_DEFAULT_TYPE
        })  # fmt: skip


def _add_union(schemas: Schema, prefix: str, forms: dict[str, Schema]) -> None:
    named = {f"{prefix}{name.capitalize()}JobRequest": form for name, form in forms.items()}
    schemas |= named
    union = f"{prefix}JobRequest"
    schemas[union] = {"title": union, "oneOf": [{"$ref": f"{PREFIX}{name}"} for name in named]}
    if f"{prefix}BatchRequest" in schemas:
        schemas[f"{prefix}BatchRequest"]["properties"]["jobs"]["items"] = {"$ref": f"{PREFIX}{union}"}


def _parameter_schemas(kind: JobType) -> Schema:
    model = kind.model()
    schema = model.model_json_schema(ref_template=PREFIX + "{model}", mode="validation")
    inner = schema.pop("$defs", {})
    return {**inner, model.__name__: schema}


def _form(base: Schema, kind: JobType) -> Schema:
    form = copy.deepcopy(base)
    names = [kind.name, *(old for old, new in OLD_NAMES.items() if new == kind.name)]
    form["title"] = f"A job of type {kind.name}"
    form["description"] = kind.summary
    form["properties"]["job_type"] = {"type": "string", "enum": names}
    form["properties"]["parameters"] = {"$ref": f"{PREFIX}{kind.model().__name__}"}
    form["required"] = ["job_type", "parameters"]
    return form
