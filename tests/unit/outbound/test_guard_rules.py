"""The guard's rules on their own: what an operator allows, and what a message shows."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from common.errors import UrlNotAllowed
from common.outbound.address import kind_unless_public, parse_address
from common.outbound.dialer import Dialer
from common.outbound.guard import Guard, parse_url, shown_url
from common.outbound.policy import OutboundPolicy

INSIDE = [
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.168.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "::/127", "fc00::/7", "fe80::/10", "ff00::/8"),
    )
]


def check(url: str, *, answers: tuple[str, ...] = (), policy: OutboundPolicy | None = None) -> None:
    dialer = Dialer(Guard(policy or OutboundPolicy()), lambda _: answers)
    target = dialer.guard.check_url(url)
    dialer.addresses(target.host, target.port)


def test_a_named_host_may_point_inside_on_any_port() -> None:
    policy = OutboundPolicy(allow_hosts=("Models.Local",))

    check("http://models.local:11434/v1", answers=("10.0.0.5",), policy=policy)
    with pytest.raises(UrlNotAllowed):
        check("http://other.local/", answers=("10.0.0.5",), policy=policy)


def test_a_host_named_with_a_port_is_allowed_on_that_port_only() -> None:
    policy = OutboundPolicy(allow_hosts=("models.local:11434",))

    check("http://models.local:11434/", answers=("10.0.0.5",), policy=policy)
    with pytest.raises(UrlNotAllowed):
        check("http://models.local:80/", answers=("10.0.0.5",), policy=policy)


def test_a_name_below_an_allowed_host_is_not_allowed_with_it() -> None:
    with pytest.raises(UrlNotAllowed):
        check("http://x.a.local/", answers=("10.0.0.5",), policy=OutboundPolicy(allow_hosts=("a.local",)))


def test_an_allowed_network_is_reached_on_any_port_and_its_neighbour_is_not() -> None:
    policy = OutboundPolicy(allow_networks=("10.1.0.0/16", "fd00:1::/32"))

    check("http://10.1.2.3:9000/", policy=policy)
    check("http://[::ffff:10.1.2.3]:9000/", policy=policy)
    check("http://[fd00:1::5]/", policy=policy)
    check("http://inside.example:9000/", answers=("10.1.2.3",), policy=policy)
    with pytest.raises(UrlNotAllowed):
        check("http://10.2.0.1/", policy=policy)
    with pytest.raises(UrlNotAllowed):
        check("http://inside.example/", answers=("10.1.2.3", "10.2.0.1"), policy=policy)


def test_an_allowed_network_opens_no_port_of_the_public_internet() -> None:
    policy = OutboundPolicy(allow_networks=("10.1.0.0/16",))

    with pytest.raises(UrlNotAllowed, match="port"):
        check("http://public.example:6379/", answers=("93.184.215.14",), policy=policy)
    with pytest.raises(UrlNotAllowed, match="port"):
        check("http://both.example:6379/", answers=("10.1.0.1", "93.184.215.14"), policy=policy)


def test_the_list_of_ports_is_the_operators() -> None:
    check("http://93.184.215.14:9443/", policy=OutboundPolicy(allow_ports=(9443,)))
    with pytest.raises(UrlNotAllowed, match="found 80"):
        check("http://93.184.215.14/", policy=OutboundPolicy(allow_ports=(9443,)))


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("https://example.com:443/a#part", "https://example.com/a"),
        ("http://example.com:8080?q=a b", "http://example.com:8080/?q=a%20b"),
        ("http://example.com/a%2Fb/ä?x=%C3%A4&y=a+b", "http://example.com/a%2Fb/%C3%A4?x=%C3%A4&y=a+b"),
        ("http://münchen.de/", "http://xn--mnchen-3ya.de/"),
        ("http://[2606:2800::1]:8080/", "http://[2606:2800::1]:8080/"),
        ("http://my_service.example/", "http://my_service.example/"),
        ("http://example.com/a\\b", "http://example.com/a%5Cb"),
    ],
)
def test_a_url_has_one_canonical_form(url: str, canonical: str) -> None:
    assert parse_url(url).url == canonical
    assert parse_url(canonical).url == canonical


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pass@example.com/a?token=abc#x", "https://example.com/a?…"),
        ("https://example.com/a\r\nb", "https://example.com/ab"),
        ("https://example.com/\x1b[31m", "https://example.com/�[31m"),
        ("http:user:pass@example.com", "http:…"),
        ("user:pass@example.com", "user:…"),
        ("http://[::1", "(not a URL)"),
        ("pass", "(not a URL)"),
    ],
)
def test_a_shown_url_holds_no_secret_and_no_control_character(url: str, shown: str) -> None:
    assert shown_url(url) == shown


def test_a_target_does_not_show_its_query() -> None:
    assert "abc" not in repr(parse_url("https://example.com/a?token=abc"))


hosts = st.one_of(
    st.sampled_from(["example.com", "a.example.", "8.8.8.8", "[2606:4700::1]", "müller.example"]),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
    st.integers(0, 2**32).map(str),
    st.integers(0, 2**32).map(hex),
    st.from_regex(r"(0x?[0-9a-f]{1,3}|[0-9]{1,4})(\.(0x?[0-9a-f]{1,3}|[0-9]{1,4})){0,4}\.?", fullmatch=True),
    st.from_regex(r"[a-z0-9.\-_@\[\]:%\\]{1,20}", fullmatch=True),
    st.text(max_size=12),
)
urls = st.builds(
    lambda scheme, user, host, port, path: f"{scheme}://{user}{host}{port}{path}",
    st.sampled_from(["http", "https", "HTTP", "ftp", "file"]),
    st.sampled_from(["", "", "", "a@", "a:b@"]),
    hosts,
    st.sampled_from(["", "", ":80", ":443", ":22", ":0", ":080", ":"]),
    st.one_of(st.just("/"), st.text(max_size=8)),
)
addresses = st.one_of(st.sampled_from(["8.8.8.8", "2606:4700::1"]), st.ip_addresses().map(str))
answers = st.lists(addresses, min_size=1, max_size=3).map(tuple)


@settings(max_examples=1_000, deadline=None)
@given(url=urls, found=answers)
@example(url="http://example.com/", found=("::ffff:10.0.0.1",))
@example(url="http://example.com/", found=("8.8.8.8", "127.0.0.1"))
def test_whatever_is_accepted_leads_only_to_public_addresses(url: str, found: tuple[str, ...]) -> None:
    dialer = Dialer(Guard(OutboundPolicy()), lambda _: found)
    try:
        target = dialer.guard.check_url(url)
        dialled = dialer.addresses(target.host, target.port)
    except UrlNotAllowed:
        event("refused")
        return
    assert target.scheme in ("http", "https")
    assert target.port in (80, 443)
    assert dialled
    for address in dialled:
        assert kind_unless_public(address) is None
        assert not any(address in network for network in INSIDE if network.version == address.version)


@given(url=urls)
def test_an_accepted_url_is_read_the_same_way_a_second_time(url: str) -> None:
    try:
        target = parse_url(url)
    except UrlNotAllowed:
        event("refused")
        return
    assert parse_url(target.url) == target
    assert "@" not in target.authority


@given(url=st.one_of(urls, st.text()))
def test_any_text_is_either_accepted_or_refused_by_name(url: str) -> None:
    try:
        Guard(OutboundPolicy()).check_url(url)
    except UrlNotAllowed as refusal:
        assert refusal.message.startswith("expected")
    assert shown_url(url).isprintable()


@given(address=st.ip_addresses(v=4))
def test_the_forms_of_an_ipv4_address_inside_ipv6_are_judged_like_it(address: object) -> None:
    plain = kind_unless_public(ip_address(str(address)))

    assert kind_unless_public(parse_address(f"::ffff:{address}")) == plain
    assert kind_unless_public(ip_address(f"64:ff9b::{address}")) == plain
    assert kind_unless_public(ip_address(f"::{address}")) is not None
