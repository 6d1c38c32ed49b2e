"""Opens connections: resolves a name once, checks every address, and dials exactly what was checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from common.errors import DownloadFailed
from common.outbound.address import Address, parse_address
from common.outbound.guard import Guard, literal_address
from common.outbound.resolver import Resolver

Connection = TypeVar("Connection")


class Dialer:
    def __init__(self, guard: Guard, resolver: Resolver) -> None:
        self.guard = guard
        self._resolve = resolver

    def addresses(self, host: str, port: int) -> tuple[Address, ...]:
        """The checked addresses of a host; whoever connects uses these and never asks for the name again."""
        literal = literal_address(host)
        found = [literal] if literal is not None else [parse_address(text) for text in self._resolve(host)]
        if not found:
            raise DownloadFailed(
                f"expected host {host!r} to have an address, the DNS gave none",
                details={"host": host, "reason": "dns"},
            )
        return self.guard.check_addresses(host, port, found)

    def connect(
        self, host: str, port: int, *, timeout: float, open_to: Callable[[str, float], Connection]
    ) -> Connection:
        """The first connection that `open_to(address, seconds)` opens; the addresses share the time."""
        ends = time.monotonic() + timeout
        addresses = self.addresses(host, port)
        for position, address in enumerate(addresses[:-1]):
            share = (ends - time.monotonic()) / (len(addresses) - position)
            try:
                return open_to(str(address), max(share, 0.001))
            except Exception:  # noqa: BLE001, S112 - whatever it was, the next address may answer
                continue
        return open_to(str(addresses[-1]), max(ends - time.monotonic(), 0.001))
