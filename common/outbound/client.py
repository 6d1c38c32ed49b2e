"""The one guarded HTTP client: downloads, pages, webhooks, models and recordings all leave through it."""

from __future__ import annotations

import hashlib
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from types import TracebackType
from urllib.parse import urljoin

import httpx

from common.clock import utc_now
from common.errors import DownloadFailed, SourceNotFound, UrlNotAllowed
from common.outbound.dialer import Dialer
from common.outbound.guard import Guard, Target, shown_url
from common.outbound.headers import file_name, media_type, retry_after_seconds
from common.outbound.pace import HostPace
from common.outbound.policy import OutboundPolicy
from common.outbound.proxy import GuardingProxy
from common.outbound.resolver import Resolver, system_resolver
from common.outbound.transport import MAX_BYTES, TOTAL_SECONDS, GuardedTransport, tls_context

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAY_PASS = frozenset({408, 425, 429})  # of the 4xx, those where asking again can help
_MODEL_ANSWER_BYTES = 64 * 1024**2


@dataclass(frozen=True, kw_only=True)
class Download:
    """A body on disk. On status 304 nothing was written: what the caller already has is current."""

    path: Path
    size: int
    sha256: str
    final_url: str = field(repr=False)
    media_type_header: str  # what the source claims; the bytes decide
    filename: str
    etag: str | None
    last_modified: str | None
    status: int


@dataclass(frozen=True, kw_only=True)
class Response:
    """An answer in memory; header names are lower-case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    final_url: str = field(repr=False)
    retry_after: float | None = None


class Outbound:
    """Safe to share between threads; close it when done."""

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        resolver: Resolver = system_resolver,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.policy = policy
        self.dialer = Dialer(Guard(policy), resolver)
        self._now = now
        self._tls = tls_context(policy)
        self._transport = self._new_transport(
            total_seconds=policy.total_seconds, max_bytes=_MODEL_ANSWER_BYTES
        )
        self._pace = HostPace(concurrency=policy.host_concurrency, delay_seconds=policy.host_delay_seconds)

    def __enter__(self) -> Outbound:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def check(self, url: str) -> None:
        """Raise UrlNotAllowed if a request to this URL would be refused now; sends nothing to it."""
        target = self.dialer.guard.check_url(url)
        self.dialer.addresses(target.host, target.port)

    def download(
        self,
        url: str,
        target: Path,
        *,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Download:
        """Stream a source to `target`, which appears only when it is complete."""
        wanted = _conditional(headers, etag, last_modified)
        with self._fetched(url, headers=wanted, max_bytes=max_bytes) as (source, response):
            size, sha256 = (0, "") if response.status_code == 304 else _write(response, target)
            return Download(
                path=target,
                size=size,
                sha256=sha256,
                final_url=source.url,
                media_type_header=media_type(response.headers),
                filename=file_name(response.headers, source.url),
                etag=response.headers.get("etag"),
                last_modified=response.headers.get("last-modified"),
                status=response.status_code,
            )

    def get(
        self,
        url: str,
        *,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Response:
        """A page or another small answer, in memory."""
        wanted = _conditional(headers, etag, last_modified)
        with self._fetched(url, headers=wanted, max_bytes=max_bytes) as (source, response):
            return self._answer(source, response, b"".join(response.iter_raw()))

    def post(self, url: str, *, body: bytes, headers: Mapping[str, str], timeout_seconds: float) -> Response:
        """Send a webhook. Any status is an answer, a redirect too; only the start of its body is kept."""
        target = self.dialer.guard.check_url(url)
        request = self._request(
            "POST", target, headers, body=body, max_bytes=sys.maxsize, seconds=timeout_seconds
        )
        with self._sent(request, target.origin) as response:
            return self._answer(target, response, self._prefix(response))

    def httpx_client(
        self,
        *,
        idle_seconds: float | None = None,
        total_seconds: float | None = None,
        max_bytes: int = _MODEL_ANSWER_BYTES,
    ) -> httpx.Client:
        """The same guard for a library with calls of its own, such as a model's SDK; the caller closes it."""
        return httpx.Client(
            transport=self._new_transport(
                total_seconds=total_seconds or self.policy.total_seconds, max_bytes=max_bytes
            ),
            timeout=httpx.Timeout(
                idle_seconds or self.policy.idle_seconds, connect=self.policy.connect_seconds
            ),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"User-Agent": self.policy.user_agent},
            follow_redirects=False,
            trust_env=False,
        )

    def proxy(self, *, max_bytes: int) -> GuardingProxy:
        """The same guard for a child program, for as long as the `with` block runs."""
        return GuardingProxy(self.dialer, policy=self.policy, max_bytes=max_bytes)

    def _new_transport(self, *, total_seconds: float, max_bytes: int) -> GuardedTransport:
        return GuardedTransport(self.dialer, tls=self._tls, total_seconds=total_seconds, max_bytes=max_bytes)

    @contextmanager
    def _fetched(
        self, url: str, *, headers: Mapping[str, str], max_bytes: int
    ) -> Iterator[tuple[Target, httpx.Response]]:
        """The answer at the end of the redirects, each hop checked like the first."""
        ends = time.monotonic() + self.policy.total_seconds
        is_conditional = "If-None-Match" in headers or "If-Modified-Since" in headers
        target = self.dialer.guard.check_url(url)
        for _ in range(self.policy.max_redirects + 1):
            with self._pace.turn(target.host, ends=ends):
                seconds = ends - time.monotonic()
                request = self._request("GET", target, headers, max_bytes=max_bytes, seconds=seconds)
                with self._sent(request, shown_url(target.url)) as response:
                    location = _location(response)
                    if location is None:
                        self._check_status(target, response, is_conditional=is_conditional)
                        yield target, response
                        return
            following = self._next_hop(target, location)
            # What the caller sends is meant for the host it named.
            headers = headers if following.origin == target.origin else {}
            target = following
        raise SourceNotFound(
            f"expected at most {self.policy.max_redirects} redirects, found more at {shown_url(url)}",
            details={"reason": "redirects"},
        )

    def _next_hop(self, target: Target, location: str) -> Target:
        try:
            url = urljoin(target.url, location)
        except ValueError:
            raise UrlNotAllowed(
                f"expected {target.origin} to redirect to a URL, found something else",
                details={"reason": "syntax"},
            ) from None
        following = self.dialer.guard.check_url(url)
        if target.scheme == "https" and following.scheme == "http":
            raise UrlNotAllowed(
                f"expected a redirect from {target.origin} to stay on https, found http",
                details={"host": following.host, "reason": "downgrade"},
            )
        return following

    def _request(
        self,
        method: str,
        target: Target,
        headers: Mapping[str, str],
        *,
        max_bytes: int,
        seconds: float,
        body: bytes | None = None,
    ) -> httpx.Request:
        idle = min(self.policy.idle_seconds, seconds)
        timeout = httpx.Timeout(idle, connect=min(self.policy.connect_seconds, seconds))
        return httpx.Request(
            method,
            target.url,
            headers={"User-Agent": self.policy.user_agent, "Accept": "*/*", **headers},
            content=body,
            extensions={"timeout": timeout.as_dict(), MAX_BYTES: max_bytes, TOTAL_SECONDS: seconds},
        )

    @contextmanager
    def _sent(self, request: httpx.Request, shown: str) -> Iterator[httpx.Response]:
        try:
            response = self._transport.handle_request(request)
            try:
                yield response
            finally:
                response.close()
        except httpx.TransportError as error:
            raise _failure(error, shown) from error

    def _check_status(self, target: Target, response: httpx.Response, *, is_conditional: bool) -> None:
        status = response.status_code
        if status < 300 or (status == 304 and is_conditional):
            return
        is_final = 300 <= status < 500 and status not in _MAY_PASS
        error_type = SourceNotFound if is_final else DownloadFailed
        raise error_type(
            f"expected {shown_url(target.url)} to answer 200, found {status}",
            details={"host": target.host, "reason": "status", "status": status},
            retry_after=retry_after_seconds(response.headers.get("retry-after"), now=self._now()),
        )

    def _answer(self, target: Target, response: httpx.Response, body: bytes) -> Response:
        return Response(
            status=response.status_code,
            headers=dict(response.headers),
            body=body,
            final_url=target.url,
            retry_after=retry_after_seconds(response.headers.get("retry-after"), now=self._now()),
        )

    def _prefix(self, response: httpx.Response) -> bytes:
        limit = self.policy.reply_prefix_bytes
        prefix = b""
        try:
            for piece in response.iter_raw():
                prefix += piece
                if len(prefix) >= limit:
                    break
        except DownloadFailed:
            return prefix[:limit]  # packed in a way we cannot read: the status is what counts
        return prefix[:limit]


def _conditional(
    headers: Mapping[str, str] | None, etag: str | None, last_modified: str | None
) -> dict[str, str]:
    wanted = dict(headers or {})
    if etag is not None:
        wanted["If-None-Match"] = etag
    if last_modified is not None:
        wanted["If-Modified-Since"] = last_modified
    return wanted


def _location(response: httpx.Response) -> str | None:
    return response.headers.get("location") if response.status_code in _REDIRECTS else None


def _write(response: httpx.Response, target: Path) -> tuple[int, str]:
    partial = target.with_name(target.name + ".part")
    digest = hashlib.sha256()
    size = 0
    try:
        with partial.open("wb") as file:
            for piece in response.iter_raw():
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return size, digest.hexdigest()


def _failure(error: httpx.TransportError, shown: str) -> DownloadFailed:
    if isinstance(error, httpx.TimeoutException):
        return DownloadFailed(
            f"expected {shown} to answer in time, it did not", details={"reason": "timeout"}
        )
    if _is_tls(error):
        return DownloadFailed(
            f"expected a valid TLS certificate from {shown}, found none", details={"reason": "tls"}
        )
    if isinstance(error, httpx.ConnectError):
        return DownloadFailed(
            f"expected {shown} to accept a connection, it did not", details={"reason": "connect"}
        )
    return DownloadFailed(
        f"expected a whole answer from {shown}, the connection broke off", details={"reason": "reset"}
    )


def _is_tls(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
