"""Mode `gateway`: a gateway in front names the user, and proves itself with a shared secret."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from common.access import Caller
from common.errors import Unauthorized
from common.identity.base import Roles

SECRET_HEADER = "x-gateway-secret"  # noqa: S105 - the name of a header
_MIN_SECRET_LENGTH = 16


class GatewayIdentity:
    """Several secrets are accepted at once, so that one can be replaced without a gap."""

    def __init__(self, *, secrets: tuple[str, ...], roles: Roles) -> None:
        if not secrets or any(len(secret) < _MIN_SECRET_LENGTH for secret in secrets):
            raise ValueError(f"expected gateway secrets of at least {_MIN_SECRET_LENGTH} characters")
        self._secrets = tuple(secret.encode() for secret in secrets)
        self._roles = roles

    def caller(self, headers: Mapping[str, str]) -> Caller:
        shown = headers.get(SECRET_HEADER, "").encode("utf-8", "surrogatepass")
        if not any(hmac.compare_digest(shown, secret) for secret in self._secrets):
            raise Unauthorized("expected a request from the gateway, found none of its secrets")
        groups = (group.strip() for group in headers.get("x-user-groups", "").split(","))
        return self._roles.caller(headers.get("x-user-id", ""), filter(None, groups))
