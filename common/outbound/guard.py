"""The rules a URL and the addresses of its host must pass before anything is sent. Pure: no network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import quote, urlsplit

from common.errors import UrlNotAllowed
from common.outbound.address import Address, is_within, kind_unless_public, parse_address, parse_networks
from common.outbound.policy import OutboundPolicy

_DEFAULT_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(
    r"(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<name>[^:\[\]]+))(?::(?P<port>[0-9]{0,5}))?", re.ASCII
)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_DOTTED_QUAD = re.compile(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MAX_URL_LENGTH = 8_192
_MAX_SHOWN_LENGTH = 200
# What may stand unescaped in a path or query; "%" so that escapes stay as they came.
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE = _PATH_SAFE + "?[]|"


@dataclass(frozen=True)
class Target:
    """A URL that passed: lower-case ASCII host, explicit port, path and query escaped, no fragment."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        return self.origin + self.path

    def __repr__(self) -> str:
        return f"Target({shown_url(self.url)!r})"


class Guard:
    """Says no by raising UrlNotAllowed with what was expected and what was found."""

    def __init__(self, policy: OutboundPolicy) -> None:
        self._hosts = frozenset(host.strip().lower() for host in policy.allow_hosts)
        self._networks = parse_networks(policy.allow_networks)
        self._ports = frozenset(policy.allow_ports)

    def check_url(self, url: str) -> Target:
        """All that can be said without asking the DNS; a literal address is checked in full."""
        target = parse_url(url)
        literal = literal_address(target.host)
        if literal is not None:
            self.check_addresses(target.host, target.port, [literal])
        elif not self._networks:
            self._check_port(target.host, target.port)
        return target

    def check_addresses(self, host: str, port: int, addresses: Iterable[Address]) -> tuple[Address, ...]:
        """Every address must pass: a name that also points inside is refused as a whole."""
        checked = tuple(addresses)
        if not self._is_named(host, port):
            for address in checked:
                self._check_address(host, port, address)
        return checked

    def _is_named(self, host: str, port: int) -> bool:
        return host in self._hosts or f"{host}:{port}" in self._hosts

    def _check_address(self, host: str, port: int, address: Address) -> None:
        if is_within(address, self._networks):
            return
        kind = kind_unless_public(address)
        if kind is not None:
            raise UrlNotAllowed(
                f"expected a public address, found a {kind} one for host {host!r};"
                " an operator can allow hosts and networks",
                details={"host": host, "reason": "address"},
            )
        self._check_port(host, port)

    def _check_port(self, host: str, port: int) -> None:
        if port not in self._ports and not self._is_named(host, port):
            expected = ", ".join(map(str, sorted(self._ports)))
            raise UrlNotAllowed(
                f"expected one of the ports {expected}, found {port} for host {host!r}",
                details={"host": host, "reason": "port"},
            )


def parse_url(url: str) -> Target:
    """The parts of an absolute http(s) URL, or UrlNotAllowed where two readers could disagree about it."""
    url = url.strip(" ")
    if len(url) > _MAX_URL_LENGTH:
        raise _refused(f"expected at most {_MAX_URL_LENGTH} characters, found {len(url)}", "length")
    if _CONTROL.search(url):
        raise _refused("expected a URL without control characters, found one", "characters")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _refused("expected a URL, found something that does not parse as one", "syntax") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise _refused(f"expected http or https, found scheme {parts.scheme[:20]!r}", "scheme")
    if "@" in parts.netloc:
        raise _refused("expected no user name or password in the URL, found one", "userinfo")
    host, port = _host_and_port(parts.netloc)
    path = quote(parts.path or "/", safe=_PATH_SAFE)
    query = "?" + quote(parts.query, safe=_QUERY_SAFE) if parts.query else ""
    return Target(parts.scheme, host, port or _DEFAULT_PORTS[parts.scheme], path + query)


def literal_address(host: str) -> Address | None:
    """The address a canonical host spells out, None for a name."""
    return parse_address(host) if ":" in host or _DOTTED_QUAD.fullmatch(host) else None


def shown_url(url: str) -> str:
    """A URL as it may appear in a message or a log: no user info, query, fragment or control character."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(not a URL)"
    if not parts.netloc:
        return f"{parts.scheme}:…" if parts.scheme else "(not a URL)"
    text = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" + ("?…" if parts.query else "")
    clean = "".join(char if char.isprintable() else "�" for char in text)
    return clean if len(clean) <= _MAX_SHOWN_LENGTH else clean[:_MAX_SHOWN_LENGTH] + "…"


def _host_and_port(authority: str) -> tuple[str, int | None]:
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise _refused("expected a host with an optional port, found something else", "host")
    port = int(match["port"]) if match["port"] else None
    if port is not None and not 0 < port < 65_536:
        raise _refused(f"expected a port from 1 to 65535, found {port}", "port")
    return (_host_name(match["name"]) if match["v6"] is None else _host_v6(match["v6"])), port


def _host_v6(text: str) -> str:
    try:
        IPv6Address(text)
    except ValueError:
        raise _refused("expected an IPv6 address in the brackets, found something else", "host") from None
    return str(parse_address(text))


def _host_name(text: str) -> str:
    host = (text if text.isascii() else _ascii_name(text)).lower()
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _refused("expected a host name or address, found something else", "host")
    if _NUMBER.fullmatch(labels[-1]):
        return _host_v4(host)
    return host


def _host_v4(host: str) -> str:
    # Programs read short, octal, hex and decimal spellings in different ways: only one is let in.
    try:
        if _DOTTED_QUAD.fullmatch(host):
            return str(parse_address(host))
    except ValueError:
        pass
    raise _refused("expected an IPv4 address as four decimal numbers, found another spelling", "host")


def _ascii_name(text: str) -> str:
    import idna  # only for the rare URL that needs its tables

    try:
        return idna.encode(text, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise _refused("expected a valid international host name, found another", "host") from None


def _refused(message: str, reason: str) -> UrlNotAllowed:
    return UrlNotAllowed(message, details={"reason": reason})
