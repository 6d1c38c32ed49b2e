"""A model's SDK works through the guarded client, and cannot reach what the guard refuses."""

from __future__ import annotations

import json

import pytest

from common.errors import UrlNotAllowed
from common.outbound.client import Outbound
from common.outbound.policy import OutboundPolicy
from tests.unit.outbound.loopback import Exchange, Loopback, local_policy

openai = pytest.importorskip("openai")

ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}],
}


def answer(exchange: Exchange) -> None:
    exchange.reply(200, {"Content-Type": "application/json"}, json.dumps(ANSWER).encode())


def ask(outbound: Outbound, server: Loopback) -> str:
    with outbound.httpx_client() as transport:
        model = openai.OpenAI(api_key="k", base_url=server.url("/v1"), http_client=transport, max_retries=0)
        reply = model.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
        return str(reply.choices[0].message.content)


def test_a_model_is_asked_through_the_guarded_client() -> None:
    with Loopback({"/v1/chat/completions": answer}) as server, Outbound(local_policy()) as outbound:
        assert ask(outbound, server) == "Hello"


def test_a_model_at_a_refused_address_is_not_asked() -> None:
    with Loopback({"/v1/chat/completions": answer}) as server, Outbound(OutboundPolicy()) as outbound:
        # Some versions of the SDK let the refusal through as it is, others wrap it.
        with pytest.raises((UrlNotAllowed, openai.APIConnectionError)):
            ask(outbound, server)

        assert server.connections == 0
