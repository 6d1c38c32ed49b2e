"""Which IP addresses are the public internet; a table of our own, as the standard library's has changed."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# IANA special-purpose registries, plus the one cloud service address inside public space.
_NOT_PUBLIC_V4 = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)
_NOT_PUBLIC_V6 = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("2001::/32", "Teredo"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


def parse_address(text: str) -> Address:
    """The address as it will be dialled: an IPv4-mapped one is the IPv4 address it stands for."""
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def parse_networks(texts: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(ip_network(text.strip(), strict=False) for text in texts)


def kind_unless_public(address: Address) -> str | None:
    """What kind of address this is when it is not public, None when it is."""
    if isinstance(address, IPv4Address):
        return _kind_v4(address)
    if address.ipv4_mapped is not None:
        return _kind_v4(address.ipv4_mapped)
    if address in _NAT64:
        # Where DNS64 is in use every public site has such an address, so the embedded one decides.
        return _kind_v4(IPv4Address(int(address) & 0xFFFFFFFF))
    return _kind_v6(address)


def is_within(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _kind_v4(address: IPv4Address) -> str | None:
    return next((kind for network, kind in _NOT_PUBLIC_V4 if address in network), None)


def _kind_v6(address: IPv6Address) -> str | None:
    kind = next((kind for network, kind in _NOT_PUBLIC_V6 if address in network), None)
    if kind is None and address not in _GLOBAL_UNICAST_V6:
        return "reserved"
    return kind
