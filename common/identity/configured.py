"""The identity mode an operator has chosen, with its parts; each mode is imported only where it is used."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from common.clock import Clock
from common.identity.base import Identity, Roles
from common.settings import Access, Settings

if TYPE_CHECKING:
    from common.identity.api_key import StoredKey

_DOCUMENT_BYTES = 1024**2  # a provider's key set has a few kilobytes


def identity_of(settings: Settings, *, find_key: Callable[[str], StoredKey | None], now: Clock) -> Identity:
    options = settings.access
    if options.mode == "gateway":
        from common.identity.gateway import GatewayIdentity

        secrets = tuple(secret.get_secret_value() for secret in options.gateway_secret)
        return GatewayIdentity(secrets=secrets, roles=_roles(options))
    if options.mode == "api_key":
        from common.identity.api_key import ApiKeyIdentity

        return ApiKeyIdentity(find=find_key, now=now)
    if options.mode == "jwt":
        return _jwt(settings)
    from common.identity.open import OpenIdentity

    return OpenIdentity()


def _roles(options: Access) -> Roles:
    return Roles(
        admin_users=frozenset(options.admin_users),
        admin_groups=frozenset(options.admin_groups),
        service_groups=frozenset(options.service_groups),
    )


def _jwt(settings: Settings) -> Identity:
    from common.identity.jwks import Jwks
    from common.identity.jwt import JwtIdentity

    options = settings.access
    return JwtIdentity(
        issuer=options.jwt_issuer or "",
        audience=options.jwt_audience or "",
        keys=Jwks(fetch=lambda: _key_set(settings), clock=time.monotonic),
        roles=_roles(options),
        user_claim=options.jwt_user_claim,
        groups_claim=options.jwt_groups_claim,
    )


def _key_set(settings: Settings) -> Mapping[str, Any]:
    """An operator who names an issuer allows its host: providers often stand inside."""
    from common.outbound.client import Outbound
    from common.outbound.policy import policy_of

    issuer, jwks_url = settings.access.jwt_issuer or "", settings.access.jwt_jwks_url
    hosts = tuple(urlsplit(url).netloc.lower() for url in (issuer, jwks_url or "") if url)
    with Outbound(policy_of(settings.outbound, also_hosts=hosts)) as client:

        def document(url: str) -> Any:
            return json.loads(client.get(url, max_bytes=_DOCUMENT_BYTES).body)

        if jwks_url is None:
            jwks_url = str(document(f"{issuer.rstrip('/')}/.well-known/openid-configuration")["jwks_uri"])
        found: Mapping[str, Any] = document(jwks_url)
        return found
