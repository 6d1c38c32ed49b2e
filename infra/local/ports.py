"""Free loopback ports for the inner services, kept between starts where they are still free."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from pathlib import Path

from infra.local.whole_file import write_whole

HOST = "127.0.0.1"


def is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    """Different from each other: all are held until the last one is found."""
    held = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [int(server.getsockname()[1]) for server in held]
    for server in held:
        server.close()
    return ports


def remembered_ports(file: Path, names: tuple[str, ...]) -> dict[str, int]:
    known: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
    if set(known) != set(names) or not all(map(is_free, known.values())):
        known = dict(zip(names, free_ports(len(names)), strict=True))
        write_whole(file, json.dumps(known))
    return known
