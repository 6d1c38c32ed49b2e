"""For receivers of our webhooks: is this message really from the service, and what does it say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

from common.errors import SecretaryError


class ForgedWebhook(SecretaryError):
    """Raised when a message was not signed with the secret, was changed on its way, or is too old."""

    code = "FORGED_WEBHOOK"


def verified(body: bytes | str, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """The message, once its signature and its time are found right."""
    try:
        message: dict[str, Any] = Webhook(secret).verify(
            body, {name.lower(): headers[name] for name in headers}
        )
    except WebhookVerificationError as error:
        raise ForgedWebhook(f"The webhook is not to be trusted: {error}.") from None
    return message
