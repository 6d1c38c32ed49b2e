"""The specification of the API, made from the models that validate requests and describe answers."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter, create_model
from pydantic.json_schema import models_json_schema

from common.errors import (
    BadRequest,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    SecretaryError,
    TooManyRequests,
    Unauthorized,
    Unavailable,
    ValidationFailed,
)
from common.http.answers import Fault, Told
from common.http.envelope import OLD_ROUTES
from common.http.job_schema import add_job_schemas
from common.http.message import IDEMPOTENCY_KEY
from common.http.operation import Operation
from common.http.router import PLATFORM, PUBLIC, Route
from common.jobs.queries import NoQuery

Schema = dict[str, Any]
REFERENCE = "#/components/schemas/{model}"
ABOUT = """Documents and conference sessions in; Markdown, page texts, pictures and an Obsidian vault out.

Everything runs in the background: a POST answers at once with an id, `GET /api/jobs/{job_id}?wait=20` answers
as soon as the job changes. Every answer has the same envelope; errors carry a code, a title in English or
German (`Accept-Language`), a message and the request's id."""
SECURITY: dict[str, Schema] = {
    "api_key": {"apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}},
    "jwt": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
    "gateway": {"gateway": {"type": "apiKey", "in": "header", "name": "X-User-ID"}},
}


def specification(routes: Iterable[Route], *, mode: str, version: str) -> Schema:
    """OpenAPI 3.1. Routes without an Operation are for queues and timers and are not part of it."""
    told = [route for route in routes if route.operation and route.path not in PLATFORM]
    models = _Models(told)
    paths: dict[str, Schema] = {}
    for route in sorted(told, key=lambda route: (route.path, route.method)):
        path = paths.setdefault(route.path.replace("+}", "}"), {})
        path[route.method.lower()] = _operation(route, models, mode)
    schemes = SECURITY.get(mode, {})
    return {
        "openapi": "3.1.0",
        "info": {"title": "Secretary", "version": version, "description": ABOUT,
                 "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"}},
        "tags": [{"name": name} for name in dict.fromkeys(_told(route).tag for route in told)],
        "paths": paths,
        "components": {"schemas": models.schemas} | ({"securitySchemes": schemes} if schemes else {}),
    }  # fmt: skip


class _Models:
    """All schemas of a specification by name, each made once."""

    def __init__(self, routes: list[Route]) -> None:
        wanted: dict[tuple[type[BaseModel], str], None] = {(Fault, "serialization"): None}
        self._envelopes: dict[tuple[str, str], type[BaseModel]] = {}
        for route in routes:
            operation = _told(route)
            if operation.body:
                wanted[operation.body, "validation"] = None
            if _has_envelope(operation):
                envelope = _envelope_model(route, operation)
                self._envelopes[route.method, route.path] = envelope
                wanted[envelope, "serialization"] = None
        names, definitions = models_json_schema(
            [(model, _mode(mode)) for model, mode in wanted], ref_template=REFERENCE
        )
        self._names: Mapping[Any, Schema] = names
        self.schemas: Schema = definitions["$defs"]
        self.schemas |= {"Failure": _failure_schema(), "OldFailure": _old_failure_schema()}
        add_job_schemas(self.schemas)

    def body(self, model: type[BaseModel]) -> Schema:
        return copy.deepcopy(self._names[model, "validation"])

    def envelope(self, route: Route) -> Schema:
        return copy.deepcopy(self._names[self._envelopes[route.method, route.path], "serialization"])


def _mode(mode: str) -> Literal["validation", "serialization"]:
    return "validation" if mode == "validation" else "serialization"


def _told(route: Route) -> Operation:
    assert route.operation is not None  # noqa: S101 - filtered before
    return route.operation


def _has_envelope(operation: Operation) -> bool:
    is_json = operation.media_type == "application/json" and not operation.is_bare
    return is_json and not operation.redirects_always


def _operation(route: Route, models: _Models, mode: str) -> Schema:
    operation = _told(route)
    found: Schema = {
        "operationId": _operation_id(route),
        "summary": operation.summary,
        "tags": [operation.tag],
        "parameters": _parameters(route, operation),
        "responses": _responses(route, operation, models, mode),
    }
    if operation.body:
        content: Schema = {"schema": models.body(operation.body)}
        if operation.example is not None:
            content["examples"] = {"works": {"value": dict(operation.example)}}
        found["requestBody"] = {
            "required": not operation.body_is_optional,
            "content": {"application/json": content},
        }
    if mode in SECURITY and route.path not in PUBLIC:
        found["security"] = [{name: []} for name in SECURITY[mode]]
    return found


def _operation_id(route: Route) -> str:
    words = re.findall(r"[A-Za-z0-9]+", route.path.removeprefix("/api"))
    return route.method.lower() + "".join(word[:1].upper() + word[1:] for word in words)


def _parameters(route: Route, operation: Operation) -> list[Schema]:
    found: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"\{(\w+)\+?\}", route.path)
    ]
    if operation.query is not NoQuery:
        found += _query_parameters(operation)
    if operation.idempotent:
        found.append(
            {
                "name": "Idempotency-Key", "in": "header", "required": False,
                "description": "The same key and body give the same answer for a day.",
                "schema": {"type": "string", "pattern": f"^{IDEMPOTENCY_KEY.pattern}$"},
            }
        )  # fmt: skip
    return found


def _query_parameters(operation: Operation) -> list[Schema]:
    schema = operation.query.model_json_schema(ref_template=REFERENCE, mode="validation")
    definitions = schema.get("$defs", {})
    rows = []
    for name, own in schema["properties"].items():
        described = _inlined({**own}, definitions)
        text = described.pop("description", None)
        row: Schema = {"name": name, "in": "query", "required": False, "schema": _without_null(described)}
        rows.append(row | ({"description": text} if text else {}))
    return rows


def _inlined(schema: Any, definitions: Schema) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    return {name: _inlined(value, definitions) for name, value in schema.items() if name != "title"}


def _without_null(schema: Schema) -> Schema:
    """A query string cannot say null: the option is left out instead."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    if "default" in schema and schema["default"] is not None:
        rest["default"] = schema["default"]
    return rest | kinds[0] if len(kinds) == 1 else rest | ({"anyOf": kinds} if kinds else {})


def _responses(route: Route, operation: Operation, models: _Models, mode: str) -> Schema:
    found: Schema = {}
    if not operation.redirects_always:
        found[str(operation.status)] = _success(route, operation, models, operation.status)
    for status in operation.other_statuses:
        found[str(status)] = _success(route, operation, models, status)
    if operation.redirects:
        found["302"] = {
            "description": "The file, at a URL that works for a while.",
            "headers": {"Location": {"required": True, "schema": {"type": "string"}}},
        }
    if operation.has_etag:
        found["304"] = {"description": "Nothing has changed since the ETag in If-None-Match."}
    failure = {"$ref": REFERENCE.format(model="OldFailure" if _is_old(route) else "Failure")}
    by_status: dict[int, list[str]] = {}
    for error in _errors(route, operation, mode):
        by_status.setdefault(error.http_status, []).append(error.code)
    for status, codes in sorted(by_status.items()):
        found[str(status)] = _refusal(failure, ", ".join(dict.fromkeys(codes)))
    found["default"] = _refusal(failure, "Any other error, in the same form.")
    return found


def _success(route: Route, operation: Operation, models: _Models, status: int) -> Schema:
    kind = operation.media_type
    schema = models.envelope(route) if _has_envelope(operation) else dict(operation.schema_of_answer)
    content = {kind: {"schema": schema}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _refusal(failure: Schema, description: str) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": failure}}}


def _errors(route: Route, operation: Operation, mode: str) -> list[type[SecretaryError]]:
    always: list[type[SecretaryError]] = [Unavailable, MethodNotAllowed]
    if "{" in route.path:
        always.append(NotFound)
    if operation.body:
        always += [BadRequest, PayloadTooLarge, ValidationFailed]
    elif operation.query is not NoQuery:
        always.append(ValidationFailed)
    if route.path not in PUBLIC:
        always += [TooManyRequests, *([Unauthorized] if mode != "open" else [])]
    return [*always, *operation.errors]


def _is_old(route: Route) -> bool:
    return route.path.startswith(OLD_ROUTES)


class Requested(Told):
    """What was asked for, and when."""

    processor: str
    timestamp: str
    parameters: dict[str, Any]


class LlmInfo(Told):
    requests: list[Any]


class Processed(Told):
    """How the answer came about."""

    id: str
    main_processor: str
    started: str
    completed: str
    duration: int
    is_from_cache: bool
    llm_info: LlmInfo


def _envelope_model(route: Route, operation: Operation) -> type[BaseModel]:
    data: Any = operation.data if operation.data is not None else Any
    fields: dict[str, Any] = {
        "status": (Literal["success"], ...),
        "request": (Requested, ...),
        "process": (Processed, ...),
        "data": (data, ...),
        "error": (None, ...),
    } | {name: (kind, ...) for name, kind in operation.top.items()}
    name = _operation_id(route)
    made: type[BaseModel] = create_model(
        f"{name[:1].upper()}{name[1:]}Answer", __base__=Told, __module__=__name__, **fields
    )
    return made


def _failure_schema() -> Schema:
    fields: Mapping[str, Schema] = {
        "status": {"const": "error"},
        "request": {"$ref": REFERENCE.format(model="Requested")},
        "process": {"$ref": REFERENCE.format(model="Processed")},
        "data": {"type": "null"},
        "error": {"$ref": REFERENCE.format(model="Fault")},
    }
    return {"type": "object", "title": "Failure", "properties": dict(fields), "required": list(fields)}


def _old_failure_schema() -> Schema:
    """On the old routes `error` is a text, because their clients print it."""
    text = TypeAdapter(str).json_schema()
    own = {"error": text, "title": text, "message": text, "error_code": text, "details": {"type": "object"}}
    base = _failure_schema()
    properties = base["properties"] | own
    return base | {"title": "OldFailure", "properties": properties, "required": list(properties)}
