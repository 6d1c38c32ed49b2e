"""The client against real servers: what arrives, what is cut off, and how a failure is told."""

from __future__ import annotations

import gzip
import hashlib
import threading
import time
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from common.errors import DownloadFailed, DownloadTooLarge, SourceNotFound
from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy
from tests.unit.outbound.loopback import Exchange, Loopback, local_policy, server_certificate

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture
def outbound() -> Iterator[Outbound]:
    with Outbound(local_policy(), now=lambda: NOW) as client:
        yield client


@pytest.fixture
def hasty() -> Iterator[Outbound]:
    with Outbound(local_policy(idle_seconds=0.3, total_seconds=0.6)) as client:
        yield client


def test_a_download_is_streamed_to_its_file(server: Loopback, outbound: Outbound, tmp_path: Path) -> None:
    body = bytes(range(256)) * 4_000
    headers = {
        "Content-Type": "Application/PDF; x=y",
        "Content-Disposition": 'attachment; filename="../../report 1.pdf"',
        "ETag": '"v1"',
        "Last-Modified": "Fri, 02 Jan 2026 03:04:05 GMT",
    }
    server.routes["/file"] = lambda exchange: exchange.reply(200, headers, body)

    got = outbound.download(server.url("/file?sig=1"), tmp_path / "x", max_bytes=len(body))

    assert got.path.read_bytes() == body
    assert (got.size, got.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    assert (got.media_type_header, got.filename) == ("application/pdf", "report 1.pdf")
    assert (got.etag, got.last_modified, got.status) == ('"v1"', "Fri, 02 Jan 2026 03:04:05 GMT", 200)
    assert got.final_url == server.url("/file?sig=1")
    assert "sig" not in repr(got)
    assert list(tmp_path.iterdir()) == [got.path]


def test_a_request_names_the_host_of_its_url(server: Loopback, outbound: Outbound) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(body=b"page")

    assert outbound.get(server.url(host="localhost"), max_bytes=10).body == b"page"

    headers = server.seen[0].headers
    assert headers["host"] == f"localhost:{server.port}"
    assert headers["user-agent"] == "Secretary/0.1"


def test_a_connection_is_used_again(server: Loopback, outbound: Outbound) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(body=b"page")

    for _ in range(3):
        outbound.get(server.url(), max_bytes=10)

    assert server.connections == 1


def test_an_unchanged_source_is_not_sent_again(server: Loopback, outbound: Outbound, tmp_path: Path) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(304)

    got = outbound.download(
        server.url(), tmp_path / "x", max_bytes=10, etag='"v1"', last_modified="Fri, 02 Jan 2026 03:04:05 GMT"
    )

    assert (got.status, got.size, got.path.exists()) == (304, 0, False)
    assert server.seen[0].headers["if-none-match"] == '"v1"'
    assert server.seen[0].headers["if-modified-since"] == "Fri, 02 Jan 2026 03:04:05 GMT"


def test_an_unasked_304_is_a_failure(server: Loopback, outbound: Outbound) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(304)

    with pytest.raises(DownloadFailed, match="found 304"):
        outbound.get(server.url(), max_bytes=10)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_source_that_is_not_there_is_not_asked_again(
    server: Loopback, outbound: Outbound, status: int
) -> None:
    server.routes["/a"] = lambda exchange: exchange.reply(status)

    with pytest.raises(SourceNotFound) as failure:
        outbound.get(server.url("/a?token=hidden"), max_bytes=10)

    assert not failure.value.retryable
    assert f"found {status}" in failure.value.message
    assert "hidden" not in failure.value.message + str(failure.value.details)


@pytest.mark.parametrize(
    ("status", "retry_after", "seconds"),
    [
        (429, "120", 120.0),
        (503, "Fri, 02 Jan 2026 03:05:05 GMT", 60.0),
        (503, "Fri, 02 Jan 2020 03:05:05 GMT", 0.0),
        (503, "99999999", 86_400.0),
        (500, "soon", None),
        (502, None, None),
        (408, None, None),
    ],
)
def test_a_source_that_may_come_back_says_when(
    server: Loopback, outbound: Outbound, status: int, retry_after: str | None, seconds: float | None
) -> None:
    headers = {"Retry-After": retry_after} if retry_after else {}
    server.routes["/"] = lambda exchange: exchange.reply(status, headers)

    with pytest.raises(DownloadFailed) as failure:
        outbound.get(server.url(), max_bytes=10)

    assert failure.value.retryable
    assert failure.value.retry_after == seconds


def test_an_announced_length_over_the_limit_is_refused_unread(
    server: Loopback, outbound: Outbound, tmp_path: Path
) -> None:
    server.routes["/"] = lambda exchange: exchange.head(200, {"Content-Length": "1001"})

    with pytest.raises(DownloadTooLarge, match="at most 1000 bytes, the source announces 1001"):
        outbound.download(server.url(), tmp_path / "x", max_bytes=1_000)

    assert list(tmp_path.iterdir()) == []


def test_a_body_of_exactly_the_limit_is_accepted(server: Loopback, outbound: Outbound) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(body=b"x" * 1_000)

    assert len(outbound.get(server.url(), max_bytes=1_000).body) == 1_000


def test_an_endless_chunked_body_is_cut_off(server: Loopback, outbound: Outbound, tmp_path: Path) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.head(200, {"Transfer-Encoding": "chunked"})
        while True:
            exchange.chunk(b"x" * 10_000)

    server.routes["/"] = endless

    with pytest.raises(DownloadTooLarge, match="at most 100000 bytes"):
        outbound.download(server.url(), tmp_path / "x", max_bytes=100_000)

    assert list(tmp_path.iterdir()) == []


def test_an_endless_body_without_a_length_is_cut_off(server: Loopback, outbound: Outbound) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.head(200, {})
        while True:
            exchange.send(b"x" * 10_000)

    server.routes["/"] = endless

    with pytest.raises(DownloadTooLarge):
        outbound.get(server.url(), max_bytes=100_000)


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip", "deflate"])
def test_a_bomb_is_cut_off_without_being_unpacked(
    server: Loopback, outbound: Outbound, tmp_path: Path, encoding: str
) -> None:
    plain = b"\0" * 100_000_000
    packed = zlib.compress(plain, 9) if encoding == "deflate" else gzip.compress(plain, 9)
    server.routes["/"] = lambda exchange: exchange.reply(200, {"Content-Encoding": encoding}, packed)

    with pytest.raises(DownloadTooLarge, match="unpacked"):
        outbound.download(server.url(), tmp_path / "x", max_bytes=1_000_000)
    with outbound.httpx_client(max_bytes=1_000_000) as client, pytest.raises(DownloadTooLarge):
        client.get(server.url())

    assert list(tmp_path.iterdir()) == []


def test_a_packed_body_that_unpacks_to_nothing_is_cut_off(server: Loopback, outbound: Outbound) -> None:
    packed = gzip.compress(b"") * 10_000
    server.routes["/"] = lambda exchange: exchange.reply(200, {"Content-Encoding": "gzip"}, packed)

    with pytest.raises(DownloadTooLarge):
        outbound.get(server.url(), max_bytes=1_000)


def gzipped(plain: bytes) -> bytes:
    return gzip.compress(plain, mtime=0)  # the name of a test holds no time


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzipped(b"hello ") + gzipped(b"world")),
        ("gzip", gzipped(b"hello world") + b"\0" * 20),
        ("deflate", zlib.compress(b"hello world")),
        ("deflate", zlib.compress(b"hello world")[2:-4]),
        ("identity", b"hello world"),
    ],
)
def test_a_packed_body_is_unpacked(
    server: Loopback, outbound: Outbound, encoding: str, packed: bytes
) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(200, {"Content-Encoding": encoding}, packed)

    assert outbound.get(server.url(), max_bytes=1_000).body == b"hello world"
    assert server.seen[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzipped(b"hello world")[:-9]),
        ("gzip", b"hello world"),
        ("deflate", b"hello world"),
        ("br", b"hello world"),
        ("gzip, gzip", gzipped(gzipped(b"hello world"))),
    ],
)
def test_a_damaged_or_unknown_packing_is_a_failure(
    server: Loopback, outbound: Outbound, encoding: str, packed: bytes
) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(200, {"Content-Encoding": encoding}, packed)

    with pytest.raises(DownloadFailed, match="packed as"):
        outbound.get(server.url(), max_bytes=1_000)


def test_a_body_that_stops_coming_ends_after_the_idle_time(server: Loopback, hasty: Outbound) -> None:
    def stall(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Length": "10"})
        exchange.pause(30)

    server.routes["/"] = stall
    begun = time.monotonic()

    with pytest.raises(DownloadFailed, match="in time") as failure:
        hasty.get(server.url(), max_bytes=10)

    assert failure.value.details["reason"] == "timeout"
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_source_that_drips_ends_after_the_total_time(server: Loopback, hasty: Outbound, part: str) -> None:
    def drip(exchange: Exchange) -> None:
        if part == "body":
            exchange.head(200, {"Content-Length": "100000"})
        else:
            exchange.send(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            exchange.send(b"x")
            exchange.pause(0.05)

    server.routes["/"] = drip
    begun = time.monotonic()

    with pytest.raises(DownloadFailed, match="in time"):
        hasty.get(server.url(), max_bytes=100_000)

    assert 0.5 < time.monotonic() - begun < 2


def test_a_server_that_accepts_and_says_nothing_ends_in_time(server: Loopback, hasty: Outbound) -> None:
    server.routes["/"] = lambda exchange: exchange.pause(30)

    with pytest.raises(DownloadFailed, match="in time"):
        hasty.get(server.url(), max_bytes=10)


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", b"SSH-2.0-x\r\n\r\n"]
)
@pytest.mark.parametrize("end", ["reset", "close"])
def test_a_broken_answer_is_a_failure_that_may_pass(
    server: Loopback, outbound: Outbound, tmp_path: Path, sent: bytes, end: str
) -> None:
    def break_off(exchange: Exchange) -> None:
        exchange.send(sent)
        exchange.reset() if end == "reset" else exchange.close()

    server.routes["/"] = break_off

    with pytest.raises(DownloadFailed, match="broke off") as failure:
        outbound.download(server.url(), tmp_path / "x", max_bytes=100)

    assert failure.value.retryable
    assert list(tmp_path.iterdir()) == []


def test_a_closed_port_is_a_failure_that_may_pass(server: Loopback, outbound: Outbound) -> None:
    url = server.url()
    server.__exit__(None, None, None)

    with pytest.raises(DownloadFailed, match="accept a connection"):
        outbound.get(url, max_bytes=10)


def test_the_next_address_is_tried_when_the_first_does_not_answer(server: Loopback) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(body=b"page")
    with Outbound(local_policy(), resolver=lambda _: ("127.0.0.77", "127.0.0.1")) as client:
        assert client.get(server.url(host="two.example"), max_bytes=10).body == b"page"


def test_a_name_without_an_address_is_a_failure_that_may_pass() -> None:
    with (
        Outbound(local_policy(), resolver=lambda _: ()) as client,
        pytest.raises(DownloadFailed, match="to have an address"),
    ):
        client.get("http://nowhere.example/", max_bytes=10)


def test_the_system_resolver_tells_an_unknown_name(outbound: Outbound) -> None:
    with pytest.raises(DownloadFailed, match="to have an address"):
        outbound.get("http://does-not-exist.invalid/", max_bytes=10)


def test_tls_is_checked_against_the_name_and_not_the_address(tmp_path: Path) -> None:
    authority, context = server_certificate(tmp_path, "good.example")
    policy = local_policy(ca_file=authority)
    with (
        Loopback(tls=context) as server,
        Outbound(policy, resolver=lambda _: ("127.0.0.1",)) as client,
    ):
        server.routes["/"] = lambda exchange: exchange.reply(body=b"secure")

        page = client.get(server.url(host="good.example", scheme="https"), max_bytes=10)
        with pytest.raises(DownloadFailed, match="TLS certificate") as failure:
            client.get(server.url(host="bad.example", scheme="https"), max_bytes=10)

        assert page.body == b"secure"
        assert failure.value.details["reason"] == "tls"


def test_an_untrusted_certificate_is_refused(tmp_path: Path, outbound: Outbound) -> None:
    _, context = server_certificate(tmp_path, "localhost")
    with Loopback(tls=context) as server, pytest.raises(DownloadFailed, match="TLS certificate"):
        outbound.get(server.url(host="localhost", scheme="https"), max_bytes=10)


def test_a_post_returns_any_status_and_the_start_of_the_answer(server: Loopback, outbound: Outbound) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.head(500, {"Transfer-Encoding": "chunked", "Retry-After": "7"})
        while True:
            exchange.chunk(b"x" * 1_000)

    server.routes["/hook"] = endless

    answer = outbound.post(server.url("/hook"), body=b"{}", headers={"A": "b"}, timeout_seconds=2)

    assert (answer.status, answer.body, answer.retry_after) == (500, b"x" * 4_096, 7.0)
    assert (server.seen[0].method, server.seen[0].body) == ("POST", b"{}")
    assert server.seen[0].headers["a"] == "b"


def test_a_post_follows_no_redirect(server: Loopback, outbound: Outbound) -> None:
    server.routes["/hook"] = lambda exchange: exchange.reply(307, {"Location": "/other"})

    answer = outbound.post(server.url("/hook"), body=b"{}", headers={}, timeout_seconds=2)

    assert (answer.status, answer.headers["location"]) == (307, "/other")
    assert len(server.seen) == 1


def test_a_post_whose_answer_is_packed_oddly_still_has_its_status(
    server: Loopback, outbound: Outbound
) -> None:
    server.routes["/hook"] = lambda exchange: exchange.reply(200, {"Content-Encoding": "br"}, b"xyz")

    assert outbound.post(server.url("/hook"), body=b"", headers={}, timeout_seconds=2).status == 200


def test_a_post_ends_after_its_own_time(server: Loopback, outbound: Outbound) -> None:
    def slow(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Length": "1000"})
        while True:
            exchange.send(b"x")
            exchange.pause(0.05)

    server.routes["/secret-path"] = slow
    begun = time.monotonic()

    with pytest.raises(DownloadFailed, match="in time") as failure:
        outbound.post(server.url("/secret-path"), body=b"", headers={}, timeout_seconds=0.5)

    assert time.monotonic() - begun < 2
    assert "secret-path" not in failure.value.message


def test_the_httpx_client_is_plain_httpx_with_the_guard_and_no_memory(
    server: Loopback, outbound: Outbound
) -> None:
    server.routes["/v1"] = lambda exchange: exchange.reply(200, {"Set-Cookie": "a=b"}, b'{"ok": true}')

    with outbound.httpx_client() as client:
        assert client.post(server.url("/v1"), json={"x": 1}).json() == {"ok": True}
        client.get(server.url("/v1"))

    assert "cookie" not in server.seen[1].headers


def test_the_httpx_client_raises_what_users_of_httpx_catch(server: Loopback, hasty: Outbound) -> None:
    server.routes["/slow"] = lambda exchange: exchange.pause(30)
    server.routes["/reset"] = lambda exchange: exchange.reset()

    with hasty.httpx_client() as client:
        with pytest.raises(httpx.ReadTimeout):
            client.get(server.url("/slow"))
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
            client.get(server.url("/reset"))


def test_one_host_sees_no_more_requests_at_once_than_allowed(server: Loopback) -> None:
    lock = threading.Lock()
    running: list[int] = [0, 0]  # now, most

    def counted(exchange: Exchange) -> None:
        with lock:
            running[0] += 1
            running[1] = max(running)
        exchange.pause(0.05)
        with lock:
            running[0] -= 1
        exchange.reply(body=b"x")

    server.routes["/"] = counted
    policy = OutboundPolicy(allow_networks=("127.0.0.0/8",), host_concurrency=2, host_delay_seconds=0.0)
    with Outbound(policy) as client:
        threads = [
            threading.Thread(target=client.get, args=(server.url(),), kwargs={"max_bytes": 9})
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(server.seen) == 8
    assert running[1] == 2


def test_requests_to_one_host_keep_their_distance(server: Loopback) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(body=b"x")
    policy = OutboundPolicy(allow_networks=("127.0.0.0/8",), host_delay_seconds=0.1)
    begun = time.monotonic()
    with Outbound(policy) as client:
        for _ in range(4):
            client.get(server.url(), max_bytes=9)

    assert time.monotonic() - begun >= 0.3


def test_a_busy_host_is_given_up_in_time(server: Loopback) -> None:
    server.routes["/"] = lambda exchange: exchange.reply(body=b"x")
    policy = OutboundPolicy(allow_networks=("127.0.0.0/8",), host_delay_seconds=60.0, total_seconds=0.2)
    with Outbound(policy) as client:
        client.get(server.url(), max_bytes=9)
        with pytest.raises(DownloadFailed, match="expected a turn"):
            client.get(server.url(), max_bytes=9)
