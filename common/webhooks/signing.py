"""Signing secrets and signatures; while a secret is replaced, a message carries both signatures."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from common.errors import ValidationFailed

ROTATION_WINDOW = timedelta(hours=24)  # a receiver has a day to switch
_PREFIX = "whsec_"
_SECRET_BYTES = 32
_MIN_BYTES, _MAX_BYTES = 24, 64  # the specification's bounds
_MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)  # no dot: it separates the signed parts


@dataclass(frozen=True)
class SigningSecret:
    """One `whsec_…` secret; `expires_at` is set once another has replaced it."""

    text: str = field(repr=False)
    expires_at: datetime | None = None

    def is_active(self, now: datetime) -> bool:
        return self.expires_at is None or now < self.expires_at


def new_secret(*, random_bytes: Callable[[int], bytes] = os.urandom) -> SigningSecret:
    return SigningSecret(_PREFIX + base64.b64encode(random_bytes(_SECRET_BYTES)).decode("ascii"))


def checked_secret(text: str) -> SigningSecret:
    """A secret that a user brings along, in the form every verifier reads."""
    try:
        size = len(base64.b64decode(text.removeprefix(_PREFIX), validate=True))
    except (binascii.Error, ValueError):
        size = 0
    if not text.startswith(_PREFIX) or not _MIN_BYTES <= size <= _MAX_BYTES:
        raise ValidationFailed(
            f"expected 'whsec_' and {_MIN_BYTES} to {_MAX_BYTES} bytes in Base64, found another form"
        )
    return SigningSecret(text)


def rotated(
    secrets: Iterable[SigningSecret], new: SigningSecret, *, now: datetime
) -> tuple[SigningSecret, ...]:
    """The new secret first; the ones before it count until the window closes."""
    closes = now + ROTATION_WINDOW
    kept = (secret for secret in secrets if secret.is_active(now))
    return (new, *(replace(old, expires_at=min(old.expires_at or closes, closes)) for old in kept))


def signed_headers(
    *, message_id: str, body: bytes, secrets: Iterable[SigningSecret], now: datetime
) -> dict[str, str]:
    """For one attempt: the id stays the same over retries, `now` does not."""
    from standardwebhooks import Webhook  # heavy, and only a sender needs it

    if not _MESSAGE_ID.fullmatch(message_id):
        raise ValueError("expected a message id of letters, digits, '_' and '-', found another")
    at = now.astimezone(UTC)  # the library takes any time zone for UTC
    text = body.decode()
    signatures = [
        Webhook(secret.text).sign(message_id, at, text) for secret in secrets if secret.is_active(now)
    ]
    if not signatures:
        raise ValueError("expected at least one active secret, found none")
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }
