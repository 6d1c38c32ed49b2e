"""A TCP line to a server that a test can cut, mend, or have answer 503."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

CHUNK_BYTES = 65_536
BUSY_BODY = b"<Error><Code>ServiceUnavailable</Code><Message>busy</Message></Error>"
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/xml\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(BUSY_BODY), BUSY_BODY)
)


class Line:
    """Listens on a loopback port of its own and passes bytes on, both ways, while it is whole."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._mode = "whole"
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Every connection is reset, new ones too."""
        self._mode = "cut"
        self._reset_all()

    def be_busy(self) -> None:
        """Every request is answered with 503."""
        self._mode = "busy"
        self._reset_all()

    def mend(self) -> None:
        self._mode = "whole"

    def close(self) -> None:
        self._listener.close()
        self._reset_all()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with self._registered(near):
            if self._mode == "busy":
                with contextlib.suppress(OSError):
                    near.recv(CHUNK_BYTES)
                    near.sendall(BUSY)
            elif self._mode == "whole":
                self._connect(near)

    def _connect(self, near: socket.socket) -> None:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(self._target) as far,
            self._registered(far),
        ):
            back = threading.Thread(target=_pass_on, args=(far, near), daemon=True)
            back.start()
            _pass_on(near, far)
            back.join()

    @contextlib.contextmanager
    def _registered(self, connection: socket.socket) -> Iterator[None]:
        with self._lock:
            self._open.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _reset_all(self) -> None:
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK_BYTES):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
