"""The guard as an httpx transport: nothing built on it can reach an address that was not checked."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import certifi
import httpcore
import httpx

from common.outbound.body import ACCEPT_ENCODING, bounded, check_length
from common.outbound.dialer import Dialer
from common.outbound.policy import OutboundPolicy

MAX_BYTES = "secretary.max_bytes"  # names in a request's extensions
TOTAL_SECONDS = "secretary.total_seconds"
_KEEPALIVE_SECONDS = 5.0
_KEEPALIVE_CONNECTIONS = 20

_HTTPX_ERRORS: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (
    (httpcore.ConnectTimeout, httpx.ConnectTimeout),
    (httpcore.ReadTimeout, httpx.ReadTimeout),
    (httpcore.WriteTimeout, httpx.WriteTimeout),
    (httpcore.PoolTimeout, httpx.PoolTimeout),
    (httpcore.ConnectError, httpx.ConnectError),
    (httpcore.ReadError, httpx.ReadError),
    (httpcore.WriteError, httpx.WriteError),
    (httpcore.LocalProtocolError, httpx.LocalProtocolError),
    (httpcore.RemoteProtocolError, httpx.RemoteProtocolError),
    (httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol),
)


def tls_context(policy: OutboundPolicy) -> ssl.SSLContext:
    if policy.ca_file is not None:
        return ssl.create_default_context(cafile=str(policy.ca_file))
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class Deadline(threading.local):
    """When the request that this thread is working on must be over, on the monotonic clock."""

    at: float = float("inf")

    @contextmanager
    def until(self, at: float) -> Iterator[None]:
        before, self.at = self.at, at
        try:
            yield
        finally:
            self.at = before

    def left(self, timeout: float | None) -> float:
        left = self.at - time.monotonic()
        return left if timeout is None else min(timeout, left)


class GuardedTransport(httpx.BaseTransport):
    """Checks the URL, dials the checked address, ends a request in time and bounds its body."""

    def __init__(self, dialer: Dialer, *, tls: ssl.SSLContext, total_seconds: float, max_bytes: int) -> None:
        self._guard = dialer.guard
        self._total_seconds = total_seconds
        self._max_bytes = max_bytes
        self._deadline = Deadline()
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls,
            max_connections=None,
            max_keepalive_connections=_KEEPALIVE_CONNECTIONS,
            keepalive_expiry=_KEEPALIVE_SECONDS,
            network_backend=_CheckedBackend(dialer, self._deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._guard.check_url(str(request.url))
        request.headers["Accept-Encoding"] = ACCEPT_ENCODING
        ends = time.monotonic() + request.extensions.get(TOTAL_SECONDS, self._total_seconds)
        with self._deadline.until(ends), _httpx_errors():
            answer = self._pool.handle_request(_core_request(request))
        stream = _AnswerStream(answer, deadline=self._deadline, ends=ends)
        try:
            return self._bounded_response(request, answer, stream)
        except BaseException:
            stream.close()
            raise

    def close(self) -> None:
        self._pool.close()

    def _bounded_response(
        self, request: httpx.Request, answer: httpcore.Response, stream: _AnswerStream
    ) -> httpx.Response:
        headers = httpx.Headers(answer.headers)
        max_bytes = request.extensions.get(MAX_BYTES, self._max_bytes)
        check_length(headers.get("Content-Length"), max_bytes=max_bytes)
        encoding = headers.pop("Content-Encoding", "")
        if encoding:
            headers.pop("Content-Length", None)  # the length of the packed form
        body = bounded(stream, encoding=encoding, max_bytes=max_bytes)
        return httpx.Response(
            answer.status, headers=headers, stream=_BodyStream(body, stream.close), request=request
        )


class _CheckedBackend(httpcore.NetworkBackend):
    """Dials what the dialer checked; the name stays with the connection for Host, SNI and certificate."""

    def __init__(self, dialer: Dialer, deadline: Deadline) -> None:
        self._dialer = dialer
        self._deadline = deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        def open_to(address: str, seconds: float) -> httpcore.NetworkStream:
            return self._backend.connect_tcp(address, port, seconds, local_address, socket_options)

        # httpcore writes an IPv6 host with its brackets.
        name = host.strip("[]")
        stream = self._dialer.connect(name, port, timeout=self._deadline.left(timeout), open_to=open_to)
        return _TimedStream(stream, self._deadline)


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every wait ends at the request's deadline, however busy the other side looks."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._left(timeout, httpcore.ConnectTimeout)
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _left(self, timeout: float | None, error: type[Exception]) -> float:
        left = self._deadline.left(timeout)
        if left <= 0:
            raise error("the total time of the request is over")
        return left


class _AnswerStream:
    """The raw body of an answer, read under the request's deadline."""

    def __init__(self, answer: httpcore.Response, *, deadline: Deadline, ends: float) -> None:
        self._answer = answer
        self._deadline = deadline
        self._ends = ends

    def __iter__(self) -> Iterator[bytes]:
        pieces = self._answer.iter_stream()
        while True:
            with self._deadline.until(self._ends), _httpx_errors():
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def close(self) -> None:
        self._answer.close()


class _BodyStream(httpx.SyncByteStream):
    def __init__(self, pieces: Iterator[bytes], close: Callable[[], None]) -> None:
        self._pieces = pieces
        self._close = close

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces

    def close(self) -> None:
        self._close()


def _core_request(request: httpx.Request) -> httpcore.Request:
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        ),
        headers=request.headers.raw,
        content=request.stream,
        extensions={name: value for name, value in request.extensions.items() if name == "timeout"},
    )


@contextmanager
def _httpx_errors() -> Iterator[None]:
    """What users of httpx, such as a model's SDK, expect to catch."""
    try:
        yield
    except Exception as error:
        for core_error, httpx_error in _HTTPX_ERRORS:
            if isinstance(error, core_error):
                raise httpx_error(str(error)) from error
        raise
