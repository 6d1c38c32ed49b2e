"""A small HTTP load: prepared bytes over kept connections, so that the one who asks costs little."""

from __future__ import annotations

import json
import socket
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.bench.figures import Spread

CONNECTIONS = 8
TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a number of callers got in so many seconds."""

    rate: float  # answers per second
    spread: Spread
    statuses: frozenset[int]


class Line:
    """One kept connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), TIMEOUT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._left = b""

    def send(self, request: bytes) -> None:
        self._socket.sendall(request)

    def read(self) -> int:
        """The status of the next answer; its body is read and dropped."""
        while b"\r\n\r\n" not in self._left:
            self._more()
        head, _, body = self._left.partition(b"\r\n\r\n")
        lower = head.lower()
        _, _, after = lower.partition(b"content-length:")
        length = int(after.split(b"\r\n", 1)[0]) if after else 0
        self._left = body
        while len(self._left) < length:
            self._more()
        self._left = self._left[length:]
        return int(head.split(b" ", 2)[1])

    def close(self) -> None:
        self._socket.close()

    def _more(self) -> None:
        received = self._socket.recv(65_536)
        if not received:
            raise ConnectionError("expected an answer, found the connection closed")
        self._left += received


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n".encode()


def post(path: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def load(url: str, request: bytes, *, seconds: float, connections: int = CONNECTIONS) -> Load:
    """Each connection asks again as soon as it has its answer."""
    taken: list[float] = []
    statuses: set[int] = set()
    ends = time.monotonic() + seconds

    def ask() -> None:
        line = Line(url)
        while (began := time.monotonic()) < ends:
            line.send(request)
            statuses.add(line.read())
            taken.append((time.monotonic() - began) * 1000)
        line.close()

    threads = [threading.Thread(target=ask) for _ in range(connections)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Load(
        rate=round(len(taken) / (time.monotonic() - began), 1),
        spread=Spread(values=taken),
        statuses=frozenset(statuses),
    )
