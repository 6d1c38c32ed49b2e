"""The local API gateway: routes of template.yaml, functions loaded through functions-framework as the
container does it, all on one port with a production server."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from functions_framework import create_app
from gunicorn.app.base import BaseApplication
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Response

from common import logs
from common.clock import new_id, utc_now
from common.errors import Forbidden, NotFound, SecretaryError
from common.http import response
from common.http.envelope import Where
from common.http.router import werkzeug_path, wrong_method
from common.http.titles import preferred_language
from common.settings import Http, settings
from infra.local.template import HttpRoute, function_source, http_routes

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
KEEP_ALIVE_SECONDS = 30
ALLOWED_HEADERS = "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-API-Key, X-Request-ID"
EXPOSED_HEADERS = "Location, ETag, Retry-After, X-Request-ID"


class Gateway:
    """One WSGI application in front of all HTTP functions."""

    def __init__(self, routes: list[HttpRoute], options: Http, *, loopback_only: bool) -> None:
        self._functions: dict[str, Application] = {
            name: create_app(name, str(function_source(name)))  # type: ignore[no-untyped-call]
            for name in {route.function for route in routes}
        }
        self._map = Map(
            [
                Rule(werkzeug_path(route.path), methods=[route.method], endpoint=route.function)
                for route in routes
            ],
            strict_slashes=False,
            merge_slashes=False,
        )
        self._options = options
        self._loopback_only = loopback_only

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        began = time.monotonic()
        environ.setdefault("HTTP_X_REQUEST_ID", new_id("req"))
        origin = self._allowed_origin(environ.get("HTTP_ORIGIN"))

        def respond(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            logs.info("request", method=environ["REQUEST_METHOD"], path=environ["PATH_INFO"][:500],
                      status=int(status[:3]), milliseconds=round((time.monotonic() - began) * 1000, 1),
                      request_id=environ["HTTP_X_REQUEST_ID"][:128])  # fmt: skip
            return start_response(status, headers + _cors(origin), exc_info)

        return self._application(environ)(environ, respond)

    def _application(self, environ: Environ) -> Application:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if self._is_foreign(environ):
            return _refusal(Forbidden("This origin is not among http.allow_origins."), environ)
        if method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
            return Response(status=204)
        try:
            function, _ = self._map.bind("").match(path, method=method)
        except MethodNotAllowed as error:
            return _refusal(wrong_method(method, error), environ)
        except HTTPException:
            return _refusal(NotFound("There is no such route."), environ)
        return self._functions[function]

    def _is_foreign(self, environ: Environ) -> bool:
        """A page somewhere on the web must not use a service that listens on its reader's own machine: not by
        its origin, and not by a name of its own that points to this machine."""
        host = environ.get("HTTP_HOST", "")
        if self._loopback_only and host.rsplit(":", 1)[0] not in LOOPBACK_NAMES:
            return True
        origin = environ.get("HTTP_ORIGIN")
        return origin is not None and origin.split("://")[-1] != host and not self._allowed_origin(origin)

    def _allowed_origin(self, origin: str | None) -> str | None:
        if origin is None or "*" in self._options.allow_origins:
            return origin and "*"
        return origin if origin in self._options.allow_origins else None


def _refusal(error: SecretaryError, environ: Environ) -> Response:
    where = Where(
        processor="gateway",
        request_id=environ["HTTP_X_REQUEST_ID"][:128],
        started=utc_now(),
        path=environ["PATH_INFO"],
        language=preferred_language(environ.get("HTTP_ACCEPT_LANGUAGE", "")),
    )
    refusal = response.refused(error, where, {})
    refusal.headers["X-Request-ID"] = where.request_id
    return refusal


def _cors(origin: str | None) -> list[tuple[str, str]]:
    if origin is None:
        return []
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS"),
        ("Access-Control-Allow-Headers", ALLOWED_HEADERS),
        ("Access-Control-Expose-Headers", EXPOSED_HEADERS),
        ("Access-Control-Max-Age", "3600"),
    ]


def _authority(address: IPv4Address | IPv6Address, port: int) -> str:
    return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"


class _Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with threads: a waiting long-poll costs a sleeping thread and nothing else."""

    def __init__(self, *, port: int, options: Http) -> None:
        self._port = port
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        chosen = {
            "bind": _authority(self._options.bind, self._port),
            "workers": self._options.processes,
            "threads": self._options.threads,
            "worker_class": "gthread",
            "worker_connections": 2_000,
            "keepalive": KEEP_ALIVE_SECONDS,
            "timeout": 120,
            "graceful_timeout": 5,
            "loglevel": "warning",
            "accesslog": None,
            "control_socket_disable": True,
        }
        for name, value in chosen.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Gateway:
        options = settings()
        logs.configure(options.logging)
        return Gateway(http_routes(), options.http, loopback_only=options.access.mode == "open")


def main() -> None:
    _Server(port=int(sys.argv[1]), options=settings().http).run()


if __name__ == "__main__":
    main()
