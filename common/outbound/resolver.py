"""From a host name to its addresses; a function, so that a test or an operator can bring another one."""

from __future__ import annotations

import socket
from collections.abc import Callable

from common.errors import DownloadFailed

Resolver = Callable[[str], tuple[str, ...]]


def system_resolver(host: str) -> tuple[str, ...]:
    """What the system would connect to, in its order of preference."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DownloadFailed(
            f"expected host {host!r} to have an address, the DNS gave none",
            details={"host": host, "reason": "dns"},
        ) from None
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
