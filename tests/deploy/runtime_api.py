"""The Runtime API of Lambda, small: hands out one event at a time and takes one answer for it."""

from __future__ import annotations

import http.server
import json
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

VERSION = "/2018-06-01/runtime"
LOOK_SECONDS = 0.5  # how soon a dead runtime is noticed


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one invocation: an answer, or the reason why there is none."""

    answer: Any = None
    failure: str | None = None


class RuntimeApi:
    """The runtime polls `next`; `invoke` gives it an event and waits for what it says."""

    def __init__(self) -> None:
        self._events: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self._outcomes: queue.Queue[tuple[str, Outcome]] = queue.Queue()
        self._number = 0
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def invoke(self, event: dict[str, Any], *, seconds: float, is_alive: Callable[[], bool]) -> Outcome:
        """Ends with `timeout` or `crash` when the runtime says nothing."""
        self._number += 1
        request_id = f"request-{self._number}"
        self._events.put((request_id, event))
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                answered, outcome = self._outcomes.get(timeout=min(left, LOOK_SECONDS))
            except queue.Empty:
                if not is_alive():
                    return Outcome(failure="crash")
                continue
            if answered == request_id:  # what an ended invocation still says is heard by nobody
                return outcome
        return Outcome(failure="timeout")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_event(self) -> tuple[str, dict[str, Any]]:
        return self._events.get()

    def settle(self, request_id: str, outcome: Outcome) -> None:
        self._outcomes.put((request_id, outcome))


def _handler(api: RuntimeApi) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            request_id, event = api.next_event()
            body = json.dumps(event).encode()
            self.send_response(200)
            self.send_header("Lambda-Runtime-Aws-Request-Id", request_id)
            self.send_header("Lambda-Runtime-Deadline-Ms", str(int((time.time() + 900) * 1000)))
            self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:0:function:it")
            # The runtime client ends with a segmentation fault where headers of the real API are missing.
            self.send_header("Lambda-Runtime-Trace-Id", f"Root={request_id}")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self.path.startswith(f"{VERSION}/invocation/"):
                request_id, kind = self.path.removeprefix(f"{VERSION}/invocation/").split("/")
                outcome = Outcome(answer=json.loads(text)) if kind == "response" else Outcome(failure=text)
                api.settle(request_id, outcome)
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    return Handler
