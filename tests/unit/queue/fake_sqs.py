"""A tiny SQS over HTTP whose answers a test scripts: for faults that no emulator has."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Answer = dict[str, Any]
Script = Callable[[str, Answer], Answer]  # operation, request -> answer


class FakeSqs:
    """Remembers every request; `script` answers those that are not about queue names."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[tuple[str, Answer]] = []
        self.url = ""

    def answer(self, operation: str, request: Answer) -> Answer:
        if operation == "GetQueueUrl":
            return {"QueueUrl": f"{self.url}/queue/{request['QueueName']}"}
        self.requests.append((operation, request))
        return self.script(operation, request)


@contextmanager
def fake_sqs(script: Script) -> Iterator[FakeSqs]:
    fake = FakeSqs(script)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            operation = self.headers["X-Amz-Target"].rpartition(".")[2]
            content = json.dumps(fake.answer(operation, request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
