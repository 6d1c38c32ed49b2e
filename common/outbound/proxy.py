"""A forward proxy on loopback that applies the same guard to child programs such as yt-dlp and ffmpeg."""

from __future__ import annotations

import re
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType

from common.errors import BadRequest, DownloadFailed, DownloadTooLarge, UrlNotAllowed
from common.outbound.dialer import Dialer
from common.outbound.guard import Target
from common.outbound.policy import OutboundPolicy
from common.outbound.tunnel import relay

_MAX_HEAD_BYTES = 64 * 1024
_REQUEST_LINE = re.compile(rb"([A-Z]{3,10}) (\S+) HTTP/1\.[01]")
_HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[^\r\n\x00]*")
_NOT_FORWARDED = frozenset(
    {
        *(b"connection", b"expect", b"host", b"keep-alive", b"proxy-authorization"),
        *(b"proxy-connection", b"upgrade"),
    }
)


class GuardingProxy:
    """A context manager around the child; afterwards `check()` raises what it tried and was refused."""

    def __init__(self, dialer: Dialer, *, policy: OutboundPolicy, max_bytes: int) -> None:
        self.dialer = dialer
        self.policy = policy
        self.ends = time.monotonic() + policy.total_seconds
        self._max_bytes = max_bytes
        self._received = 0
        self._refusals: list[UrlNotAllowed] = []
        self._open: set[socket.socket] = set()
        self._is_closing = False
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def environment(self) -> dict[str, str]:
        """For the child: every usual spelling, and no exceptions."""
        names = ("http_proxy", "https_proxy", "all_proxy")
        proxied = {spelling: self.url for name in names for spelling in (name, name.upper())}
        return {**proxied, "no_proxy": "", "NO_PROXY": ""}

    def __enter__(self) -> GuardingProxy:
        self._thread.start()
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        with self._lock:
            self._is_closing = True
            for connection in self._open:
                _end(connection)
        self._server.server_close()
        self._thread.join()

    def check(self) -> None:
        """Raise what made the child fail, if it was the limit or the guard."""
        with self._lock:
            if self._received > self._max_bytes:
                raise DownloadTooLarge(
                    f"expected at most {self._max_bytes} bytes, the source has more",
                    details={"max_bytes": self._max_bytes},
                )
            if self._refusals:
                raise self._refusals[0]

    def note_refusal(self, refusal: UrlNotAllowed) -> None:
        with self._lock:
            self._refusals.append(refusal)

    def take(self, size: int) -> bool:
        """Count received bytes; False once all connections together are over the limit."""
        with self._lock:
            self._received += size
            return self._received <= self._max_bytes

    @contextmanager
    def registered(self, connection: socket.socket) -> Iterator[socket.socket]:
        """A connection that ends with the proxy, if it has not ended before."""
        with self._lock:
            self._open.add(connection)
            if self._is_closing:
                _end(connection)
        try:
            with connection:
                yield connection
        finally:
            with self._lock:
                self._open.discard(connection)


class _Server(socketserver.ThreadingTCPServer):
    # Threads are joined on close: they end because their connections are shut down.
    daemon_threads = False

    def __init__(self, proxy: GuardingProxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Exchange)


class _Exchange(socketserver.BaseRequestHandler):
    """One connection of the child: one request, checked, then bytes in both directions until it ends."""

    server: _Server
    request: socket.socket

    def handle(self) -> None:
        proxy = self.server.proxy
        with (
            proxy.registered(self.request),
            suppress(OSError),
        ):  # a broken connection is the child's to notice
            self.request.settimeout(proxy.policy.idle_seconds)
            try:
                self._serve(proxy)
            except BadRequest as error:
                self._answer("400 Bad Request", error.message)
            except UrlNotAllowed as error:
                proxy.note_refusal(error)
                self._answer("403 Forbidden", error.message)
            except DownloadFailed as error:
                self._answer("502 Bad Gateway", error.message)

    def _serve(self, proxy: GuardingProxy) -> None:
        head, rest = _read_head(self.request)
        method, asked, headers = _parse_head(head)
        is_tunnel = method == b"CONNECT"
        target = proxy.dialer.guard.check_url(f"https://{asked}/" if is_tunnel else asked)
        if not is_tunnel and target.scheme != "http":
            raise BadRequest("expected CONNECT for https, found a plain request")
        body_left = 0 if is_tunnel else _body_size(headers) - len(rest)
        if body_left < 0:
            raise BadRequest("expected one request, found more behind it")
        with proxy.registered(self._dial(proxy, target)) as remote:
            remote.settimeout(proxy.policy.idle_seconds)
            if is_tunnel:
                self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                remote.sendall(_forwarded_head(method, target, headers))
            if rest:
                remote.sendall(rest)
            if not is_tunnel:
                _pass_body(self.request, remote, body_left)
                self._pass_answer_head(remote, proxy)
            relay(
                self.request,
                remote,
                idle_seconds=proxy.policy.idle_seconds,
                ends=proxy.ends,
                take=proxy.take,
                is_one_way=not is_tunnel,
            )

    def _dial(self, proxy: GuardingProxy, target: Target) -> socket.socket:
        def open_to(address: str, seconds: float) -> socket.socket:
            return socket.create_connection((address, target.port), seconds)

        timeout = min(proxy.policy.connect_seconds, proxy.ends - time.monotonic())
        try:
            return proxy.dialer.connect(target.host, target.port, timeout=timeout, open_to=open_to)
        except OSError:
            raise DownloadFailed(f"expected {target.origin} to accept a connection, it did not") from None

    def _pass_answer_head(self, remote: socket.socket, proxy: GuardingProxy) -> None:
        """Told to close, the child asks for its next address anew, and that one is checked too."""
        try:
            head, rest = _read_head(remote)
        except BadRequest:
            raise DownloadFailed("expected an HTTP answer, found something else") from None
        first, *headers = head.split(b"\r\n")
        kept = [line for line in headers if line.partition(b":")[0].lower() not in _NOT_FORWARDED]
        if not proxy.take(len(head) + len(rest)):
            raise DownloadFailed("expected a smaller answer, found one over the limit")
        self.request.sendall(b"\r\n".join([first, b"Connection: close", *kept, b"", b""]) + rest)

    def _answer(self, status: str, message: str) -> None:
        body = message.encode() + b"\n"
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        self.request.sendall(head.encode() + b"Connection: close\r\n\r\n" + body)


def _end(connection: socket.socket) -> None:
    with suppress(OSError):  # the other side was quicker
        connection.shutdown(socket.SHUT_RDWR)


def _read_head(connection: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(_MAX_HEAD_BYTES)
        if not piece or len(data) > _MAX_HEAD_BYTES:
            raise BadRequest(f"expected a head of at most {_MAX_HEAD_BYTES} bytes")
        data += piece
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _body_size(headers: list[bytes]) -> int:
    named = [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in headers)]
    sizes = [value for name, value in named if name == b"content-length"]
    is_chunked = any(name == b"transfer-encoding" for name, _ in named)
    if is_chunked or len(sizes) > 1 or not all(size.isdigit() and len(size) < 16 for size in sizes):
        raise BadRequest("expected a body of one known length, found another")
    return int(sizes[0]) if sizes else 0


def _pass_body(child: socket.socket, remote: socket.socket, left: int) -> None:
    while left > 0:
        piece = child.recv(min(left, _MAX_HEAD_BYTES))
        if not piece:
            raise BadRequest("expected a whole request, it broke off")
        remote.sendall(piece)
        left -= len(piece)


def _parse_head(head: bytes) -> tuple[bytes, str, list[bytes]]:
    first, *headers = head.split(b"\r\n")
    match = _REQUEST_LINE.fullmatch(first)
    if match is None or not all(_HEADER_LINE.fullmatch(line) for line in headers):
        raise BadRequest("expected a plain HTTP/1 request, found something else")
    try:
        return match[1], match[2].decode("ascii"), headers
    except UnicodeDecodeError:
        raise BadRequest("expected an ASCII request line, found something else") from None


def _forwarded_head(method: bytes, target: Target, headers: list[bytes]) -> bytes:
    """One request per connection, so that the end of the answer is the end of the connection."""
    kept = [line for line in headers if line.partition(b":")[0].lower() not in _NOT_FORWARDED]
    first = method + b" " + target.path.encode() + b" HTTP/1.1"
    own = [b"Host: " + target.authority.encode(), b"Connection: close"]
    return b"\r\n".join([first, *own, *kept, b"", b""])
