"""P30, P31: every known way to spell an inside address is refused, and nothing reaches the inside."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from common.errors import UrlNotAllowed
from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy
from tests.unit.outbound.loopback import Loopback

PUBLIC = "93.184.215.14"

NAMES = {
    "localhost": ("127.0.0.1", "::1"),
    "foo.localhost": ("127.0.0.1",),
    "inside.example": ("10.1.2.3",),
    "both.example": (PUBLIC, "10.1.2.3"),
    "both-v6.example": (PUBLIC, "fd00::1"),
    "mapped.example": ("::ffff:127.0.0.1",),
    "zero.example": ("0.0.0.0",),  # noqa: S104 - an answer of the DNS, nothing is bound
    "metadata.google.internal": ("169.254.169.254",),
    "metadata": ("169.254.169.254",),
    "127.0.0.1.nip.io": ("127.0.0.1",),
    "xn--mnchen-3ya.example": ("192.168.1.1",),
    "public.example": (PUBLIC,),
}

REFUSED = [
    # loopback
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.1.2.3/",
    "http://127.255.255.254/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://foo.localhost/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    # other spellings of an IPv4 address
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://0X7F000001/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://127.000.000.001/",
    "http://0/",
    "http://0x/",
    "http://0.0.0.0/",
    "http://00.00.00.00/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://425.510.425.510/",
    "http://169.254.43518/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://127.0.0.1./",
    "http://localhost./",
    "http://public.example./",
    "http://public.example../",
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://１２７.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    # private, link-local, carrier-grade, reserved
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    # IPv6
    "http://[::]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://[100::1]/",
    # IPv4 inside IPv6
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:10.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[v1.fe80::a]/",
    # names that point inside
    "http://inside.example/",
    "http://both.example/",
    "http://both-v6.example/",
    "http://mapped.example/",
    "http://zero.example/",
    "http://metadata.google.internal/",
    "http://metadata/",
    "http://127.0.0.1.nip.io/",
    "http://münchen.example/",
    # user info, and who is the host
    "http://user@public.example/",
    "http://user:secret@public.example/",
    "http://public.example@127.0.0.1/",
    "http://public.example:80@127.0.0.1/",
    "http://@127.0.0.1/",
    "http://127.0.0.1\\@public.example/",
    "http://public.example\\@127.0.0.1/",
    "http:\\\\127.0.0.1/",
    "http://public.example\t@127.0.0.1/",
    "http://127.0.0.1\n.public.example/",
    "http://127.0.0.1\x00.public.example/",
    "http://public.example:80:80/",
    "http://[public.example]/",
    "http://[::1/",
    "http://::1/",
    "http:///127.0.0.1/",
    "http:127.0.0.1/",
    "http://",
    "http://?x",
    "http://:80/",
    "http://-a.example/",
    "http://a..example/",
    "http://" + "a" * 64 + ".example/",
    "http://" + "a." * 130 + "example/",
    "//127.0.0.1/",
    "127.0.0.1",
    "",
    # schemes
    "file:///etc/passwd",
    "ftp://public.example/",
    "gopher://127.0.0.1:6379/_",
    "dict://127.0.0.1:11211/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "ws://public.example/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "jar:http://public.example!/",
    "httpx://public.example/",
    # ports
    "http://public.example:22/",
    "http://public.example:25/",
    "http://public.example:6379/",
    "https://public.example:9200/",
    f"http://{PUBLIC}:3306/",
    "http://public.example:0/",
    "http://public.example:65536/",
    "http://public.example:99999/",
    "http://public.example:+80/",
    "http://public.example:８０/",
]

ACCEPTED = [
    "http://public.example/",
    "https://public.example/a/b?c=d#e",
    "https://PUBLIC.example:8443/",
    "http://public.example:/",
    f"http://{PUBLIC}/",
    f"http://{PUBLIC}:8080/",
    "http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
    f"http://[::ffff:{PUBLIC}]/",
    f"http://[64:ff9b::{PUBLIC}]/",
    "  https://public.example/with space and ümlaut.pdf ",
]


def _lookup(host: str) -> tuple[str, ...]:
    return NAMES[host]


@pytest.fixture(scope="module")
def outbound() -> Iterator[Outbound]:
    with Outbound(OutboundPolicy(), resolver=_lookup) as client:
        yield client


@pytest.mark.parametrize("url", REFUSED)
def test_a_way_inside_is_refused(outbound: Outbound, url: str) -> None:
    with pytest.raises(UrlNotAllowed) as refusal:
        outbound.get(url, max_bytes=10)

    assert refusal.value.code == "URL_NOT_ALLOWED"
    assert "expected" in refusal.value.message
    assert "secret" not in refusal.value.message


@pytest.mark.parametrize("url", ACCEPTED)
def test_the_public_internet_is_accepted(outbound: Outbound, url: str) -> None:
    outbound.check(url)


def test_a_refused_request_opens_no_connection() -> None:
    with Loopback() as server, Outbound(OutboundPolicy(allow_ports=(server.port,))) as client:
        for url in (server.url(), server.url(host="localhost"), server.url(host="[::ffff:127.0.0.1]")):
            with pytest.raises(UrlNotAllowed):
                client.get(url, max_bytes=10)
            with pytest.raises(UrlNotAllowed):
                client.post(url, body=b"", headers={}, timeout_seconds=1)
            with client.httpx_client() as plain, pytest.raises(UrlNotAllowed):
                plain.get(url)

        assert server.connections == 0
