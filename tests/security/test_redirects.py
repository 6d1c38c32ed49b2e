"""P33: each hop of a redirect is checked like the first one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import SourceNotFound, UrlNotAllowed
from common.outbound.client import Outbound
from tests.unit.outbound.loopback import Exchange, Loopback, local_policy, server_certificate


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        running.routes["/end"] = lambda exchange: exchange.reply(body=b"end")
        yield running


@pytest.fixture
def outbound() -> Iterator[Outbound]:
    with Outbound(local_policy()) as client:
        yield client


def redirect(server: Loopback, path: str, location: str, *, status: int = 302) -> None:
    server.routes[path] = lambda exchange: exchange.reply(status, {"Location": location})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(server: Loopback, outbound: Outbound, tmp_path: Path, status: int) -> None:
    redirect(server, "/a", "end?x=1", status=status)

    got = outbound.download(server.url("/a"), tmp_path / "x", max_bytes=10)

    assert got.final_url == server.url("/end?x=1")
    assert got.filename == "end"


def test_five_redirects_are_followed_and_a_sixth_is_not(server: Loopback, outbound: Outbound) -> None:
    for number in range(6):
        redirect(server, f"/{number}", f"/{number + 1}" if number < 5 else "/end")

    assert outbound.get(server.url("/1"), max_bytes=10).body == b"end"
    server.seen.clear()
    with pytest.raises(SourceNotFound, match="at most 5 redirects"):
        outbound.get(server.url("/0"), max_bytes=10)
    assert len(server.seen) == 6


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "//10.0.0.1/",
        "http://0x0a000001/",
        "http://[fd00::1]/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "http://user:secret@127.0.0.1/",
        "http://inside.example/",
        "http://public.example:22/",
        "http://[::1",
        "data:,x",
    ],
)
def test_a_redirect_to_the_inside_is_refused(server: Loopback, location: str) -> None:
    names = {"inside.example": ("10.0.0.1",), "public.example": ("93.184.215.14",)}
    redirect(server, "/a", location)
    with (
        Outbound(local_policy(), resolver=lambda host: names[host]) as client,
        pytest.raises(UrlNotAllowed) as refusal,
    ):
        client.get(server.url("/a"), max_bytes=10)

    assert "secret" not in refusal.value.message


def test_a_redirect_from_https_to_http_is_refused(server: Loopback, tmp_path: Path) -> None:
    authority, context = server_certificate(tmp_path, "localhost")
    with Loopback(tls=context) as secure, Outbound(local_policy(ca_file=authority)) as client:
        redirect(secure, "/a", server.url("/end"))

        with pytest.raises(UrlNotAllowed, match="stay on https"):
            client.get(secure.url("/a", host="localhost", scheme="https"), max_bytes=10)

    assert server.seen == []


def test_what_a_caller_sends_stays_with_the_host_it_named(server: Loopback, outbound: Outbound) -> None:
    with Loopback() as other:
        other.routes["/end"] = lambda exchange: exchange.reply(body=b"end")
        redirect(server, "/same", "/far")
        redirect(server, "/far", other.url("/end"))

        outbound.get(server.url("/same"), max_bytes=10, headers={"Authorization": "Bearer x", "X-Key": "y"})

        assert [seen.headers.get("authorization") for seen in server.seen] == ["Bearer x", "Bearer x"]
        assert "authorization" not in other.seen[0].headers
        assert "x-key" not in other.seen[0].headers


def test_the_httpx_client_checks_each_hop_even_when_told_to_follow(
    server: Loopback, outbound: Outbound
) -> None:
    redirect(server, "/a", "http://10.0.0.1/")
    with outbound.httpx_client() as client:
        assert client.get(server.url("/a")).status_code == 302
        with pytest.raises(UrlNotAllowed):
            client.get(server.url("/a"), follow_redirects=True)


def test_the_time_limit_covers_all_hops_together(server: Loopback) -> None:
    def slow(exchange: Exchange) -> None:
        exchange.pause(0.3)
        exchange.reply(302, {"Location": "/slow"})

    server.routes["/slow"] = slow
    with Outbound(local_policy(total_seconds=0.5)) as client, pytest.raises(Exception, match="in time"):
        client.get(server.url("/slow"), max_bytes=10)
    assert len(server.seen) == 2
