"""A server in front of the running service that makes trouble on request: refusals and broken connections.

Signed addresses of the object store are rewritten to lead through here too, so that transfers meet the same.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import httpx

STORE = re.compile(rb'"url":\s*"(https?://[^/"]+)/')
DROPPED = {"transfer-encoding", "content-length", "connection", "content-encoding", "date", "server"}
Fault = (
    int | Literal["dropped", "unanswered", "torn"]
)  # refused with this status; before, after, within an answer


@dataclass
class Front:
    """`trouble` is met in its order, by the first request whose line begins as each one says."""

    target: str
    address: str = ""
    trouble: list[tuple[str, Fault]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    store: str = ""

    def fault(self, line: str) -> Fault | None:
        self.seen.append(line)
        if self.trouble and line.startswith(self.trouble[0][0]):
            return self.trouble.pop(0)[1]
        return None

    def forward(self, method: str, path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
        origin = self.target if path.startswith("/api/") else self.store
        headers = {
            name: value for name, value in headers.items() if name.lower() not in ("host", "connection")
        }
        return httpx.request(method, origin + path, headers=headers, content=body, timeout=60)

    def through_here(self, body: bytes) -> bytes:
        if found := STORE.search(body):
            self.store = found[1].decode()
            return body.replace(found[1], self.address.encode())
        return body


@contextmanager
def front(target: str) -> Iterator[Front]:
    made = Front(target)

    class Handler(_Handler):
        here = made

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    here: Front

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.here.fault(f"{self.command} {self.path}")
        if fault == "dropped":
            return
        if isinstance(fault, int):
            self._reply(fault, {"Retry-After": "0"}, b"", 0)
            return
        told = self.here.forward(self.command, self.path, dict(self.headers), body)
        if fault == "unanswered":
            return
        content = self.here.through_here(told.content)
        headers = {name: value for name, value in told.headers.items() if name.lower() not in DROPPED}
        self._reply(
            told.status_code, headers, content[: len(content) // 2] if fault else content, len(content)
        )

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the names that the base class calls

    def _reply(self, status: int, headers: dict[str, str], body: bytes, length: int) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return
