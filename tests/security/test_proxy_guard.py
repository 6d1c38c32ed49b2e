"""The guarding proxy: child programs reach what the guard allows, and nothing else."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from common.errors import DownloadTooLarge, UrlNotAllowed
from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy
from tests.unit.outbound.loopback import Dns, Exchange, Loopback, local_policy, server_certificate


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        running.routes["/a"] = lambda exchange: exchange.reply(body=b"answer")
        yield running


@pytest.fixture
def outbound() -> Iterator[Outbound]:
    with Outbound(local_policy()) as client:
        yield client


def fetch(proxy_url: str, url: str, *, ca_file: Path | None = None) -> httpx.Response:
    context = ssl.create_default_context(cafile=ca_file)
    with httpx.Client(proxy=proxy_url, trust_env=False, verify=context) as client:
        return client.get(url)


def raw(proxy_url: str, data: bytes) -> bytes:
    port = int(proxy_url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
        return answer


def test_a_plain_request_is_passed_on_without_the_proxys_headers(
    server: Loopback, outbound: Outbound
) -> None:
    with outbound.proxy(max_bytes=10_000) as proxy:
        answer = fetch(proxy.url.replace("//", "//user:pass@"), server.url("/a?b=c"))
        proxy.check()

    assert answer.text == "answer"
    assert server.seen[0].path == "/a?b=c"
    assert server.seen[0].headers["host"] == f"127.0.0.1:{server.port}"
    assert "proxy-authorization" not in server.seen[0].headers


def test_a_tunnel_carries_tls_to_the_checked_address(tmp_path: Path) -> None:
    authority, context = server_certificate(tmp_path, "moving.example")
    policy = OutboundPolicy(allow_networks=("127.0.0.2/32",))
    with (
        Loopback(address="127.0.0.2", tls=context) as outside,
        Loopback(address="127.0.0.3", port=outside.port, tls=context) as inside,
        Dns({"moving.example": [["127.0.0.2"], ["127.0.0.3"]]}) as dns,
        Outbound(policy, resolver=dns.resolver) as client,
        client.proxy(max_bytes=100_000) as proxy,
    ):
        outside.routes["/"] = lambda exchange: exchange.reply(body=b"secure")
        url = outside.url(host="moving.example", scheme="https")

        assert fetch(proxy.url, url, ca_file=authority).text == "secure"
        with pytest.raises(httpx.ProxyError, match="403"):
            fetch(proxy.url, url, ca_file=authority)
        with pytest.raises(UrlNotAllowed):
            proxy.check()
        assert inside.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://0x7f000001/",
        "https://10.0.0.1/",
        "http://93.184.215.14:22/",
    ],
)
def test_the_inside_is_refused(outbound: Outbound, url: str) -> None:
    with outbound.proxy(max_bytes=100) as proxy:
        try:
            assert fetch(proxy.url, url).status_code == 403
        except httpx.ProxyError as error:
            assert "403" in str(error)
        with pytest.raises(UrlNotAllowed):
            proxy.check()


@pytest.mark.parametrize(
    "head",
    [
        b"hello\r\n\r\n",
        b"GET /relative HTTP/1.1\r\n\r\n",
        b"GET https://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST http://127.0.0.1/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET http://127.0.0.1/\xff HTTP/1.1\r\n\r\n",
        b"CONNECT user@127.0.0.1:443 HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1/x HTTP/1.1\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
    ],
)
def test_what_is_not_a_request_is_refused(outbound: Outbound, head: bytes) -> None:
    with outbound.proxy(max_bytes=100) as proxy:
        try:
            status = raw(proxy.url, head)[9:12]
        except ConnectionResetError:  # it closed before reading all of a head that is too long
            return
    assert status in (b"400", b"403", b"502")


def test_a_child_that_keeps_its_connection_has_each_address_checked(
    server: Loopback, outbound: Outbound
) -> None:
    """The server here does not close, and a client library would send the next request behind the first."""
    with (
        outbound.proxy(max_bytes=10_000) as proxy,
        httpx.Client(proxy=proxy.url, trust_env=False) as child,
    ):
        first = child.get(server.url("/a"))
        second = child.get("http://10.0.0.1/a")
        with pytest.raises(UrlNotAllowed):
            proxy.check()

    assert (first.status_code, first.headers["connection"]) == (200, "close")
    assert second.status_code == 403
    assert [seen.path for seen in server.seen] == ["/a"]


def test_a_request_behind_a_request_is_not_passed_on(server: Loopback, outbound: Outbound) -> None:
    one = f"GET {server.url('/a')} HTTP/1.1\r\n\r\n".encode()
    with outbound.proxy(max_bytes=10_000) as proxy:
        at_once = raw(proxy.url, one + b"GET http://10.0.0.1/ HTTP/1.1\r\n\r\n")
        with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), timeout=5) as child:
            child.sendall(one)
            assert child.recv(65_536).startswith(b"HTTP/1.1 200")
            child.sendall(one)
            rest = b""
            with suppress(ConnectionResetError):
                while piece := child.recv(65_536):
                    rest += piece

    assert at_once[9:12] == b"400"
    assert b"HTTP/1.1" not in rest
    assert len(server.seen) == 1


def test_the_body_of_a_request_is_passed_on_whole(server: Loopback, outbound: Outbound) -> None:
    server.routes["/form"] = lambda exchange: exchange.reply(body=str(len(exchange.body)).encode())
    with (
        outbound.proxy(max_bytes=10_000) as proxy,
        httpx.Client(proxy=proxy.url, trust_env=False) as child,
    ):
        assert child.post(server.url("/form"), content=b"x" * 200_000).text == "200000"


def test_all_connections_together_stay_below_the_limit(server: Loopback, outbound: Outbound) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.head(200, {})
        while True:
            exchange.send(b"x" * 10_000)

    server.routes["/endless"] = endless
    with outbound.proxy(max_bytes=100_000) as proxy:
        assert len(fetch(proxy.url, server.url("/endless")).content) <= 100_000
        with pytest.raises(DownloadTooLarge):
            proxy.check()


def test_the_proxy_ends_while_a_child_still_holds_a_connection(server: Loopback, outbound: Outbound) -> None:
    server.routes["/silent"] = lambda exchange: exchange.pause(30)
    proxy = outbound.proxy(max_bytes=100)
    with proxy:
        child = threading.Thread(
            target=raw, args=(proxy.url, f"GET {server.url('/silent')} HTTP/1.1\r\n\r\n".encode())
        )
        child.start()
        while not server.seen:
            pass
    child.join(timeout=5)
    assert not child.is_alive()


def child_environment(proxy_environment: dict[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **proxy_environment}


def test_yt_dlp_downloads_through_the_proxy_and_stays_outside(
    server: Loopback, outbound: Outbound, tmp_path: Path
) -> None:
    pytest.importorskip("yt_dlp")
    server.routes["/talk.mp4"] = lambda exchange: exchange.reply(
        200, {"Content-Type": "video/mp4"}, b"\0" * 5_000
    )
    server.routes["/evil.mp4"] = lambda exchange: exchange.reply(302, {"Location": "http://10.0.0.1/x.mp4"})
    with outbound.proxy(max_bytes=1_000_000) as proxy:

        def run(url: str) -> int:
            command = [sys.executable, "-m", "yt_dlp", "--no-config", "--no-cache-dir", "--retries", "0"]
            command += [
                "--extractor-retries",
                "0",
                "--proxy",
                proxy.url,
                "-o",
                str(tmp_path / "out.%(ext)s"),
                url,
            ]
            child = subprocess.run(
                command,
                env=child_environment(proxy.environment()),
                capture_output=True,
                timeout=60,
                check=False,
            )
            return child.returncode

        assert run(server.url("/talk.mp4")) == 0
        proxy.check()
        assert (tmp_path / "out.mp4").stat().st_size == 5_000
        (tmp_path / "out.mp4").unlink()

        assert run(server.url("/evil.mp4")) != 0
        with pytest.raises(UrlNotAllowed):
            proxy.check()


def test_ffmpeg_reads_through_the_proxy_and_stays_outside(
    server: Loopback, outbound: Outbound, tmp_path: Path
) -> None:
    program = pytest.importorskip("imageio_ffmpeg").get_ffmpeg_exe()
    tone = tmp_path / "tone.wav"
    subprocess.run(
        [program, "-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=0.2", str(tone)],
        check=True,
        timeout=60,
    )
    server.routes["/tone.wav"] = lambda exchange: exchange.reply(
        200, {"Content-Type": "audio/wav"}, tone.read_bytes()
    )
    with outbound.proxy(max_bytes=1_000_000) as proxy:

        def run(url: str) -> int:
            command = [program, "-loglevel", "error", "-i", url, "-f", "null", "-"]
            child = subprocess.run(
                command,
                env=child_environment(proxy.environment()),
                capture_output=True,
                timeout=60,
                check=False,
            )
            return child.returncode

        assert run(server.url("/tone.wav")) == 0
        proxy.check()
        assert run("http://10.0.0.1/tone.wav") != 0
        with pytest.raises(UrlNotAllowed):
            proxy.check()
