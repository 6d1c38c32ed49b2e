"""The public keys of an identity provider, fetched when needed and kept for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from common.errors import SecretaryError, Unavailable

_KEEP_SECONDS = 3_600.0
# An unknown key id may be a new key; asking at most this often keeps forged ids from flooding the provider.
_ASK_AGAIN_SECONDS = 60.0
_ASYMMETRIC = frozenset({"RSA", "EC", "OKP"})

Jwk = Mapping[str, Any]


class Jwks:
    def __init__(self, *, fetch: Callable[[], Mapping[str, Any]], clock: Callable[[], float]) -> None:
        """`fetch` gets the JSON of the key set through the outbound client; `clock` is monotonic."""
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str, Jwk] = {}
        self._asked_at: float | None = None

    def find(self, key_id: str) -> Jwk | None:
        with self._lock:
            age = float("inf") if self._asked_at is None else self._clock() - self._asked_at
            if age >= _KEEP_SECONDS or (key_id not in self._keys and age >= _ASK_AGAIN_SECONDS):
                self._refresh()
            return self._keys.get(key_id)

    def _refresh(self) -> None:
        self._asked_at = self._clock()
        try:
            self._keys = _signing_keys(self._fetch())
        except (SecretaryError, OSError, ValueError, TypeError, LookupError) as error:
            if not self._keys:
                self._asked_at = None  # nothing to fall back on: the next request may try at once
                raise Unavailable("expected the identity provider's keys, it did not answer") from error


def _signing_keys(answer: Mapping[str, Any]) -> dict[str, Jwk]:
    keys = answer.get("keys") if isinstance(answer, Mapping) else None
    if not isinstance(keys, list):
        raise TypeError("expected a JSON Web Key Set with a list of keys")
    return {
        key["kid"]: key
        for key in keys
        if isinstance(key, Mapping)
        and isinstance(key.get("kid"), str)
        and key.get("kty") in _ASYMMETRIC
        and key.get("use", "sig") == "sig"
    }
