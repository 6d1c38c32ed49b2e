"""The language model that the settings name, or none."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from common.outbound.client import Outbound
from common.outbound.guard import parse_url
from common.outbound.policy import OutboundPolicy
from common.processing.transform.model import DEFAULT_BASE_URL, TIMEOUT_SECONDS, OpenAiModel
from common.settings import Llm


def configured_model(options: Llm, policy: OutboundPolicy) -> OpenAiModel | None:
    """A new one for each job, as it counts what that job used."""
    if options.api_key is None and options.base_url is None:
        return None
    outbound = endpoint_outbound(policy, options.base_url or DEFAULT_BASE_URL)
    return OpenAiModel(
        name=options.model,
        api_key=options.api_key.get_secret_value() if options.api_key else None,
        base_url=options.base_url,
        http_client=outbound.httpx_client(idle_seconds=TIMEOUT_SECONDS, total_seconds=2 * TIMEOUT_SECONDS),
        input_characters=options.max_input_chars,
    )


@lru_cache(maxsize=4)
def endpoint_outbound(policy: OutboundPolicy, url: str) -> Outbound:
    """The guarded client that may also reach an endpoint of the operator's own: often a local server."""
    target = parse_url(url)
    return Outbound(replace(policy, allow_hosts=(*policy.allow_hosts, f"{target.host}:{target.port}")))
