"""What an operator decides about requests that leave: who may be reached, how long and how much."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.settings import OutboundSection, Settings

WEB_PORTS = (80, 443, 8000, 8080, 8443)


@dataclass(frozen=True, kw_only=True)
class OutboundPolicy:
    """The defaults reach the public internet on web ports, and nothing else.

    `allow_hosts` ("name" or "name:port") and `allow_networks` (CIDR) are exceptions an operator
    answers for: they also lift the port rule, "name:port" for that port only.
    """

    allow_hosts: tuple[str, ...] = ()
    allow_networks: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = WEB_PORTS
    max_redirects: int = 5
    connect_seconds: float = 10.0
    idle_seconds: float = 30.0  # between two reads of a body
    total_seconds: float = 1_800.0  # 2 GB at about 1 MB/s
    host_concurrency: int = 4  # simultaneous requests to one host
    host_delay_seconds: float = 0.1  # between the starts of two requests to one host
    reply_prefix_bytes: int = 4_096  # kept of the answer to a webhook
    user_agent: str = "Secretary/0.1"
    ca_file: Path | None = None  # None: the system's authorities and the bundled ones


def policy_of(section: OutboundSection, *, also_hosts: tuple[str, ...] = ()) -> OutboundPolicy:
    """The operator's settings; `also_hosts` are those that other settings name."""
    return OutboundPolicy(
        allow_hosts=(*section.allow_hosts, *also_hosts),
        allow_networks=tuple(str(network) for network in section.allow_networks),
        allow_ports=tuple(section.allow_ports),
        connect_seconds=section.connect_seconds,
        idle_seconds=section.idle_seconds,
        total_seconds=section.total_seconds,
        host_concurrency=section.per_host,
    )


def policy_of_a_call(settings: Settings) -> OutboundPolicy:
    """Where a caller of the API waits for what is fetched: no longer than any call may wait."""
    policy = policy_of(settings.outbound)
    return replace(policy, total_seconds=min(policy.total_seconds, settings.http.max_wait_seconds))
