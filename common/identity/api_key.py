"""Mode `api_key`: keys that are shown once, stored as a hash, and can be revoked."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from common.access import Caller
from common.errors import Unauthorized
from common.identity.base import bearer_token

_KEY = re.compile(r"sk_([0-9a-f]{16})_([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class StoredKey:
    """A key as it is stored: enough to recognise it, not enough to use it."""

    key_id: str
    secret_hash: str = field(repr=False)
    user_id: str
    name: str | None = None
    groups: frozenset[str] = frozenset()
    is_admin: bool = False
    rights: frozenset[str] = frozenset()
    created_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_active(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """A key at the one moment its text is known."""

    key_id: str
    text: str = field(repr=False)
    secret_hash: str = field(repr=False)


def new_key(*, random_bytes: Callable[[int], bytes] = os.urandom) -> NewKey:
    key_id, secret = random_bytes(8).hex(), random_bytes(32).hex()
    return NewKey(key_id=key_id, text=f"sk_{key_id}_{secret}", secret_hash=hash_secret(key_id, secret))


def hash_secret(key_id: str, secret: str) -> str:
    """256 random bits need no slow hash; the id keeps equal secrets from looking equal."""
    return hashlib.sha256(f"{key_id}:{secret}".encode()).hexdigest()


class ApiKeyIdentity:
    def __init__(self, *, find: Callable[[str], StoredKey | None], now: Callable[[], datetime]) -> None:
        self._find = find
        self._now = now

    def caller(self, headers: Mapping[str, str]) -> Caller:
        shown = _KEY.fullmatch(headers.get("x-api-key", "").strip() or bearer_token(headers) or "")
        if shown is None:
            raise Unauthorized("expected an API key as 'Authorization: Bearer sk_…' or X-API-Key, found none")
        key_id, secret = shown.groups()
        stored = self._find(key_id)
        # An unknown id takes the same steps as a known one, and gives the same answer.
        expected = stored.secret_hash if stored is not None else hash_secret(key_id, "")
        is_right = hmac.compare_digest(hash_secret(key_id, secret), expected)
        if stored is None or not is_right or not stored.is_active(self._now()):
            raise Unauthorized("expected a valid API key, found one that is unknown, revoked or expired")
        return Caller(
            user_id=stored.user_id, groups=stored.groups, is_admin=stored.is_admin, rights=stored.rights
        )
