"""Routes inside one function: finds the handler, checks the caller, wraps the answer, maps every error."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import flask
from werkzeug.datastructures import Headers
from werkzeug.exceptions import MethodNotAllowed as WrongMethod
from werkzeug.exceptions import NotFound as WrongPath
from werkzeug.routing import Map, Rule

from common import logs
from common.access import ANONYMOUS, Caller
from common.clock import new_id, utc_now
from common.errors import (
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    SecretaryError,
    Unavailable,
)
from common.http import response
from common.http.envelope import Where
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.titles import preferred_language
from common.jobs.database import OUTAGES
from common.rate_limits import refuse_if_over
from common.services import Services, services

Handler = Callable[[Request], Answer]
REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
# Routes that answer before anyone has said who they are.
PUBLIC = {
    "/health", "/ready", "/api/openapi.json", "/docs", "/monitoring/events", "/monitoring/assets/{path+}",
}  # fmt: skip
# Queue and timer call these; no gateway leads to them.
PLATFORM = {"/events", "/"}


@dataclass(frozen=True, kw_only=True)
class Route:
    """One method and path of template.yaml, the handler that answers it and what is told about it."""

    method: str
    path: str
    handler: Handler
    operation: Operation | None


class InternalFault(SecretaryError):
    """Raised in place of an exception nobody foresaw; what it was is in the log."""


class Router:
    """The entry point of an HTTP function: call it with Flask's request."""

    def __init__(self, processor: str, *, provide: Callable[[], Services] = services) -> None:
        self.processor = processor
        self.routes: list[Route] = []
        self._provide = provide
        self._map = Map(strict_slashes=False, merge_slashes=False)

    def route(
        self, method: str, *paths: str, operation: Operation | None = None
    ) -> Callable[[Handler], Handler]:
        """Paths are written as in template.yaml: `{job_id}`, and `{path+}` for the rest of the path."""

        def add(handler: Handler) -> Handler:
            for path in paths:
                self._add(Route(method=method, path=path, handler=handler, operation=operation))
            return handler

        return add

    def include(self, other: Router) -> None:
        """All routes of another router, so that a function can keep them in several files."""
        for route in other.routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        rule = Rule(werkzeug_path(route.path), methods=[route.method], endpoint=str(len(self.routes)))
        self.routes.append(route)
        self._map.add(rule)

    def __call__(self, request: flask.Request) -> flask.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        where = Where(
            processor=self.processor,
            request_id=_request_id(request.headers),
            started=utc_now(),
            path=request.path,
            language=preferred_language(headers.get("accept-language", "")),
        )
        token = logs.request_id.set(where.request_id)
        limits: dict[str, str] = {}
        try:
            answer = self._answer(request, headers, where, limits)
        except SecretaryError as error:
            sent = response.refused(error, where, headers)
        else:
            sent = response.accepted(answer, where, headers)
        finally:
            logs.request_id.reset(token)
        sent.headers.update({"X-Request-ID": where.request_id} | limits)
        return sent

    def _answer(
        self, request: flask.Request, headers: dict[str, str], where: Where, limits: dict[str, str]
    ) -> Answer:
        """Any fault becomes one of our errors; nothing else reaches the client."""
        try:
            provided = self._provide()
            body = _body(request, provided.settings.http.body_limit_bytes)
            route, arguments = self._match(request)
            caller = _caller(provided, route, headers, limits)
            known = Request(
                method=request.method,
                path=request.path,
                arguments=arguments,
                query=request.args.to_dict(),
                headers=headers,
                body=body,
                caller=caller,
                request_id=where.request_id,
                started=where.started,
                services=provided,
            )
            name, parent = f"{route.method} {route.path}", headers.get("traceparent")
            with provided.tracer.span(name, parent=parent, request_id=where.request_id):
                return route.handler(known)
        except SecretaryError:
            raise
        except OUTAGES as error:
            logs.warning("MongoDB does not answer", error=type(error).__name__)
            raise Unavailable("The database does not answer. Nothing was accepted; try again.") from error
        except Exception as error:
            logs.exception("request failed", method=request.method, path=request.path)
            raise InternalFault("Something went wrong here. The request id finds it in our log.") from error

    def _match(self, request: flask.Request) -> tuple[Route, dict[str, str]]:
        try:
            endpoint, arguments = self._map.bind("").match(request.path, method=request.method)
        except WrongMethod as error:
            raise wrong_method(request.method, error) from None
        except WrongPath:
            raise NotFound("There is no such route.") from None
        return self.routes[int(endpoint)], {name: str(value) for name, value in arguments.items()}


def _caller(provided: Services, route: Route, headers: dict[str, str], limits: dict[str, str]) -> Caller:
    """Who calls, within their rate; `limits` becomes what they are told about it, refused or not."""
    if route.path in PUBLIC | PLATFORM:
        return ANONYMOUS
    caller = provided.identify(headers)
    allowance = provided.rate_limiter and provided.rate_limiter.take_request(caller.user_id)
    if allowance:
        limits.update(allowance.headers)
        refuse_if_over(allowance)
    return caller


def wrong_method(method: str, error: WrongMethod) -> MethodNotAllowed:
    allowed = sorted(error.valid_methods or ())
    return MethodNotAllowed(
        f"{method[:20]} is not offered on this path; {', '.join(allowed)} is.", details={"allowed": allowed}
    )


def werkzeug_path(path: str) -> str:
    """A path of template.yaml as werkzeug writes it."""
    return re.sub(r"\{(\w+)(\+?)\}", lambda match: f"<{'path:' if match[2] else ''}{match[1]}>", path)


def _request_id(headers: Headers) -> str:
    """The caller's own id, if it is one that may stand in a log line."""
    given = headers.get("X-Request-ID", "")
    return given if REQUEST_ID.fullmatch(given) else new_id("req")


def _body(request: flask.Request, limit: int) -> bytes:
    """Never reads more than the limit, whatever the Content-Length says."""
    announced = request.content_length or 0
    body: bytes = b"" if announced > limit else request.stream.read(limit + 1)
    if max(announced, len(body)) > limit:
        raise PayloadTooLarge(
            f"The body is larger than {limit} bytes. Send large files through POST /api/uploads."
        )
    return body
