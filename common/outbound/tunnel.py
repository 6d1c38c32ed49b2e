"""Carries bytes between two connections until one ends, falls silent, or has brought too much."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable

_PIECE_BYTES = 64 * 1024


def relay(
    local: socket.socket,
    remote: socket.socket,
    *,
    idle_seconds: float,
    ends: float,
    take: Callable[[int], bool],
    is_one_way: bool = False,
) -> None:
    """`take(size)` counts what the remote side sends and says whether more is welcome.

    One way means that the local side has nothing more to say: should it speak, both connections end.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(local, selectors.EVENT_READ)
        selector.register(remote, selectors.EVENT_READ)
        while ready := selector.select(min(idle_seconds, max(ends - time.monotonic(), 0.0))):
            for key, _ in ready:
                if key.fileobj is local and is_one_way:
                    if local.recv(1):
                        return
                    selector.unregister(local)
                elif key.fileobj is local:
                    if not _pass_on(local, remote):
                        # The child said all it has to say; the answer may still be on its way.
                        remote.shutdown(socket.SHUT_WR)
                        selector.unregister(local)
                elif not _pass_on(remote, local, take=take):
                    return


def _pass_on(
    source: socket.socket, sink: socket.socket, *, take: Callable[[int], bool] | None = None
) -> bool:
    piece = source.recv(_PIECE_BYTES)
    if not piece or (take is not None and not take(len(piece))):
        return False
    sink.sendall(piece)
    return True
