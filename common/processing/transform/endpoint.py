"""The way to an endpoint that the operator names: a model or a speech service, often a local server."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from common.outbound.client import Outbound
from common.outbound.guard import parse_url
from common.outbound.policy import OutboundPolicy


@lru_cache(maxsize=4)
def endpoint_outbound(policy: OutboundPolicy, url: str) -> Outbound:
    """The guarded client, which may also reach this endpoint although it stands inside."""
    target = parse_url(url)
    return Outbound(replace(policy, allow_hosts=(*policy.allow_hosts, f"{target.host}:{target.port}")))
