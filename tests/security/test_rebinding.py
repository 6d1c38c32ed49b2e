"""P31, P32: the connection goes to the address that was checked, whatever the DNS says a moment later."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.errors import UrlNotAllowed
from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy
from tests.unit.outbound.loopback import Dns, Exchange, Loopback, server_certificate

# Stand-ins on loopback: the first is "public" by the operator's word, the second is inside.
PUBLIC, INSIDE = "127.0.0.2", "127.0.0.3"


def policy(ca_file: Path | None = None) -> OutboundPolicy:
    return OutboundPolicy(allow_networks=(f"{PUBLIC}/32",), host_delay_seconds=0.0, ca_file=ca_file)


def test_a_name_that_moves_inside_after_the_check_is_not_followed_there() -> None:
    def last_on_this_connection(exchange: Exchange) -> None:
        exchange.reply(200, {"Connection": "close"}, b"outside")
        exchange.close()

    with (
        Loopback(address=PUBLIC, routes={"/": last_on_this_connection}) as outside,
        Loopback(address=INSIDE, port=outside.port) as inside,
        Dns({"moving.example": [[PUBLIC], [INSIDE]]}) as dns,
        Outbound(policy(), resolver=dns.resolver) as client,
    ):
        url = outside.url(host="moving.example")
        first = client.get(url, max_bytes=10)
        asked_once = len(dns.asked)
        with pytest.raises(UrlNotAllowed):
            client.get(url, max_bytes=10)

        assert first.body == b"outside"
        assert outside.seen[0].headers["host"] == f"moving.example:{outside.port}"
        assert asked_once == 1
        assert inside.connections == 0


def test_a_hundred_flips_never_reach_the_inside() -> None:
    def last_on_this_connection(exchange: Exchange) -> None:
        exchange.reply(200, {"Connection": "close"}, b"outside")
        exchange.close()

    turns = [[PUBLIC], [INSIDE], [PUBLIC, INSIDE], [INSIDE, PUBLIC]] * 25
    with (
        Loopback(address=PUBLIC, routes={"/": last_on_this_connection}) as outside,
        Loopback(address=INSIDE, port=outside.port) as inside,
        Dns({"moving.example": turns}) as dns,
        Outbound(policy(), resolver=dns.resolver) as client,
    ):
        refused = 0
        for _ in range(100):
            try:
                client.get(outside.url(host="moving.example"), max_bytes=10)
            except UrlNotAllowed:
                refused += 1

        assert (len(outside.seen), refused, inside.connections) == (25, 75, 0)


def test_a_name_with_one_outside_and_one_inside_address_is_refused() -> None:
    with (
        Loopback(address=PUBLIC) as outside,
        Dns({"both.example": [[PUBLIC, INSIDE]]}) as dns,
        Outbound(policy(), resolver=dns.resolver) as client,
    ):
        with pytest.raises(UrlNotAllowed):
            client.get(outside.url(host="both.example"), max_bytes=10)

        assert outside.connections == 0


def test_the_httpx_client_dials_what_was_checked_and_keeps_the_name_for_tls(tmp_path: Path) -> None:
    authority, context = server_certificate(tmp_path, "moving.example")
    with (
        Loopback(address=PUBLIC, tls=context) as outside,
        Loopback(address=INSIDE, port=outside.port, tls=context) as inside,
        Dns({"moving.example": [[PUBLIC], [INSIDE]]}) as dns,
        Outbound(policy(authority), resolver=dns.resolver) as client,
    ):
        outside.routes["/"] = lambda exchange: exchange.reply(body=b"outside")
        with client.httpx_client() as plain:
            answer = plain.get(outside.url(host="moving.example", scheme="https"))
        with client.httpx_client() as plain, pytest.raises(UrlNotAllowed):
            plain.get(outside.url(host="moving.example", scheme="https"))

        assert answer.text == "outside"
        assert inside.connections == 0
