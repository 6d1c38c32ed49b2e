"""A small server that speaks the OpenAI protocol: chat answers made by the test, faults in front of them."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Chat = dict[str, Any]
Answer = Callable[[Chat], str]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """An answer in the place of the next one."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"error": {"message": "made by the test"}}'


@dataclass
class OpenAiServer:
    """What was asked, and what is answered. Faults are used up first, one for each request."""

    url: str
    answer: Answer
    faults: list[Fault] = field(default_factory=list)
    chats: list[Chat] = field(default_factory=list)
    most_at_once: int = 0
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def environment(self) -> dict[str, str]:
        return {"OPENAI_BASE_URL": self.url, "OPENAI_API_KEY": "key-of-the-test"}

    def take(self, chat: Chat) -> Fault | None:
        with self._lock:
            self.chats.append(chat)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            return self.faults.pop(0) if self.faults else None

    def done(self) -> None:
        with self._lock:
            self._at_once -= 1


def text_of(chat: Chat) -> str:
    """The last message without its pictures."""
    content = chat["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part["type"] == "text")


def pictures_of(chat: Chat) -> list[str]:
    """The data URLs of the last message."""
    content = chat["messages"][-1]["content"]
    parts = [] if isinstance(content, str) else content
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


@contextmanager
def openai_server(answer: Answer = lambda _: "Answer") -> Iterator[OpenAiServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    state = OpenAiServer(url=f"http://127.0.0.1:{server.server_address[1]}/v1", answer=answer)
    server.state = state  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        chat = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self._reply(Fault(status=404))
            return
        state: OpenAiServer = self.server.state  # type: ignore[attr-defined]
        fault = state.take(chat)
        try:
            text = "" if fault else state.answer(chat)
        finally:
            state.done()
        self._reply(fault or Fault(status=200, body=_completion(chat, text)))

    def _reply(self, reply: Fault) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_: Any) -> None:
        return


def _completion(chat: Chat, text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {
            "id": "completion",
            "object": "chat.completion",
            "created": 1,
            "model": chat["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
    ).encode()
