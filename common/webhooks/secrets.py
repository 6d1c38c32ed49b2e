"""What a user entrusts to us for a webhook, sealed at rest: signing secrets and custom headers."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from common.errors import SecretaryError

_MIN_KEY_LENGTH = 32


class SecretUnreadable(SecretaryError):
    """Raised when a stored secret was sealed with a key that is no longer configured."""

    code = "SECRET_UNREADABLE"


class NoSealingKey(SecretaryError):
    """Raised when a webhook is handed in and no key is configured to keep its secret under."""

    code = "WEBHOOKS_NOT_CONFIGURED"
    http_status = 422


class SecretBox:
    """Seals with the first key and opens with any, so that an operator can replace a key."""

    def __init__(self, *, keys: tuple[str, ...]) -> None:
        if not keys or any(len(key) < _MIN_KEY_LENGTH for key in keys):
            raise ValueError(f"expected encryption keys of at least {_MIN_KEY_LENGTH} characters")
        self._fernet = MultiFernet([Fernet(_derived(key)) for key in keys])

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def open(self, sealed: str) -> str:
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise SecretUnreadable("expected a secret sealed with a configured key, found another") from None


def _derived(key: str) -> bytes:
    # The operator's key may have any form; what it is used for is part of the derivation.
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"secretary webhook secrets")
    return base64.urlsafe_b64encode(derive.derive(key.encode()))
