"""Mode `jwt`: tokens of an OpenID Connect provider, checked against its published keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jwt

from common.access import Caller
from common.errors import Unauthorized
from common.identity.base import Roles, bearer_token
from common.identity.jwks import Jwk, Jwks

_ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
_LEEWAY_SECONDS = 30.0
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (jwt.ExpiredSignatureError, "has expired"),
    (jwt.ImmatureSignatureError, "is not valid yet"),
    (jwt.InvalidAudienceError, "is meant for another audience"),
    (jwt.InvalidIssuerError, "comes from another issuer"),
    (jwt.MissingRequiredClaimError, "lacks a claim"),
)


class JwtIdentity:
    def __init__(
        self,
        *,
        issuer: str,
        audience: str,
        keys: Jwks,
        roles: Roles,
        user_claim: str = "sub",
        groups_claim: str = "groups",
    ) -> None:
        self._issuer = issuer
        self._audience = audience
        self._keys = keys
        self._roles = roles
        self._user_claim = user_claim
        self._groups_claim = groups_claim

    def caller(self, headers: Mapping[str, str]) -> Caller:
        token = bearer_token(headers)
        if token is None:
            raise Unauthorized("expected a token as 'Authorization: Bearer …', found none")
        claims = self._verified(token)
        user_id = claims.get(self._user_claim)
        if not isinstance(user_id, str):
            raise Unauthorized(f"expected claim {self._user_claim!r} to name the user, found something else")
        return self._roles.caller(user_id, _groups(claims.get(self._groups_claim)))

    def _verified(self, token: str) -> dict[str, Any]:
        try:
            algorithm, key = self._key_for(token)
            claims: dict[str, Any] = jwt.decode(
                token,
                jwt.PyJWK(dict(key), algorithm),
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", self._user_claim]},
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            reason = next((text for kind, text in _REASONS if isinstance(error, kind)), "is not valid")
            raise Unauthorized(f"expected a valid token, found one that {reason}") from None
        return claims

    def _key_for(self, token: str) -> tuple[str, Jwk]:
        """The key's own algorithm decides, never the token alone: no `none`, no HMAC with a public key."""
        header = jwt.get_unverified_header(token)
        algorithm, key_id = header.get("alg"), header.get("kid")
        if algorithm not in _ALGORITHMS or not isinstance(key_id, str):
            raise Unauthorized("expected a token signed with a named public key, found another")
        key = self._keys.find(key_id)
        if key is None or key.get("alg", algorithm) != algorithm:
            raise Unauthorized("expected a token signed with a key of the provider, found another")
        return algorithm, key


def _groups(claim: object) -> list[str]:
    names = [claim] if isinstance(claim, str) else claim if isinstance(claim, list) else []
    return [name for name in names if isinstance(name, str) and name]
