"""An OpenAI-compatible server for tests: answers by schema, counts tokens, and fails as it is told to.

`with OpenAiServer() as server:` on a free port; `python -m tests.servers.openai_server 8400` by hand.
"""

from __future__ import annotations

import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One answer that is no answer; `body` replaces the usual error object."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request as it arrived; `body` is JSON, or the raw bytes of an upload."""

    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        """The text of the last message, without pictures."""
        content = self.body["messages"][-1]["content"]
        if isinstance(content, str):
            return content
        return "".join(part["text"] for part in content if part["type"] == "text")

    @property
    def pictures(self) -> list[str]:
        """The data URLs of the last message."""
        content = self.body["messages"][-1]["content"]
        parts = [] if isinstance(content, str) else content
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]

    @property
    def schema(self) -> Json | None:
        form = self.body.get("response_format") or {}
        found: Json | None = (form.get("json_schema") or {}).get("schema")
        return found


def answer_by_schema(seen: Seen) -> str:
    """Every field of the schema with a value of its type; plain text where there is none."""
    if seen.schema is None:
        return f"answer to: {seen.user[:60]}"
    return json.dumps({name: _value(name, kind) for name, kind in seen.schema["properties"].items()})


def _value(name: str, kind: Json) -> Any:
    values: Json = {"string": f"text of {name}", "integer": 3, "number": 2.5, "boolean": True,
                    "array": [f"{name} one", f"{name} two"]}  # fmt: skip
    return values[kind["type"]]


class OpenAiServer:
    """Answers with `answer`, after all `faults` are used up; `seen` is every request."""

    def __init__(
        self,
        *,
        answer: Callable[[Seen], str] = answer_by_schema,
        faults: Iterable[Fault] = (),
        knows_schema: bool = True,
        transcript: Iterable[tuple[float, float, str]] = (),
        api_key: str | None = None,
    ) -> None:
        self.answer = answer
        self.faults = list(faults)
        self.knows_schema = knows_schema
        self.transcript = list(transcript)
        self.api_key = api_key
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._server: http.server.ThreadingHTTPServer | None = None

    def __enter__(self) -> OpenAiServer:
        self.start(0)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, port: int) -> None:
        handler = type("Handler", (_Handler,), {"owner": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def stop(self) -> None:
        if self._server:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    @property
    def base_url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def environment(self) -> dict[str, str]:
        """What makes our settings use it."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.api_key or "key-of-the-test"}

    @contextmanager
    def taken(self, seen: Seen) -> Iterator[Fault | None]:
        """One request from its arrival to its answer, and the fault that is its answer, if any is left."""
        with self._lock:
            self.seen.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fault = self.faults.pop(0) if self.faults else None
        try:
            yield fault
        finally:
            with self._lock:
                self._at_once -= 1

    def chats(self) -> list[Seen]:
        return [one for one in self.seen if one.path.endswith("/chat/completions")]


class _Handler(http.server.BaseHTTPRequestHandler):
    owner: OpenAiServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "test-model", "object": "model"}]})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_json = self.headers.get("Content-Type", "").startswith("application/json")
        seen = Seen(
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=json.loads(raw) if is_json else raw,
        )
        with self.owner.taken(seen) as fault:
            self._answer(seen, fault)

    def _answer(self, seen: Seen, fault: Fault | None) -> None:
        if fault:
            self._fail(fault)
        elif self.owner.api_key and seen.headers.get("authorization") != f"Bearer {self.owner.api_key}":
            self._refuse(401, "Incorrect API key provided")
        elif self.path.endswith("/chat/completions"):
            self._chat(seen)
        elif self.path.endswith("/audio/transcriptions"):
            self._transcribe()
        else:
            self._refuse(404, f"Unknown request URL: {self.path}")

    def _chat(self, seen: Seen) -> None:
        if seen.body.get("response_format") and not self.owner.knows_schema:
            return self._refuse(400, "Unknown parameter: 'response_format'")
        problem = _not_strict(seen.schema) if seen.schema else None
        if problem:
            return self._refuse(400, f"Invalid schema for response_format: {problem}")
        text = self.owner.answer(seen)
        asked = sum(len(json.dumps(message)) for message in seen.body["messages"]) // CHARACTERS_PER_TOKEN
        written = len(text) // CHARACTERS_PER_TOKEN + 1
        message = {"role": "assistant", "content": text}
        self._send(200, {
            "id": f"chatcmpl-{len(self.owner.seen)}", "object": "chat.completion", "created": 0,
            "model": seen.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written},
        })  # fmt: skip
        return None

    def _transcribe(self) -> None:
        segments = [
            {"id": number, "start": start, "end": end, "text": text}
            for number, (start, end, text) in enumerate(self.owner.transcript)
        ]
        whole = " ".join(text for _, _, text in self.owner.transcript)
        self._send(200, {"task": "transcribe", "language": "english", "text": whole, "segments": segments,
                         "duration": segments[-1]["end"] if segments else 0})  # fmt: skip

    def _fail(self, fault: Fault) -> None:
        if fault.body is None:
            self._refuse(fault.status, f"told to fail with {fault.status}", fault.headers)
        else:
            self._write(fault.status, fault.body, fault.headers)

    def _refuse(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        error = {"message": message, "type": "test_error", "param": None, "code": None}
        self._send(status, {"error": error}, headers)

    def _send(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        self._write(
            status, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})}
        )

    def _write(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


def _not_strict(schema: Json) -> str | None:
    """What the real service refuses: a property that is not required, or room for others."""
    if schema.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false"
    missing = set(schema["properties"]) - set(schema.get("required", ()))
    return f"'required' must include every key; missing {sorted(missing)}" if missing else None


def main() -> None:
    server = OpenAiServer()
    server.start(int(sys.argv[1]) if len(sys.argv) > 1 else 8400)
    print(server.base_url, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
