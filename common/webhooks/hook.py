"""A webhook as it is stored: its secrets and headers sealed, its address checked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from common.clock import Clock
from common.errors import UrlNotAllowed
from common.outbound.guard import Guard, shown_url
from common.webhooks.events import EventType
from common.webhooks.request import WebhookRequest
from common.webhooks.signing import SigningSecret, checked_secret, new_secret, rotated

if TYPE_CHECKING:
    from common.webhooks.secrets import SecretBox

Document = dict[str, Any]
JOB_ENDS = (EventType.JOB_COMPLETED, EventType.JOB_FAILED, EventType.JOB_CANCELLED)
BATCH_END = (EventType.BATCH_COMPLETED,)


@dataclass(frozen=True, kw_only=True)
class Hook:
    """A webhook with its secrets open, for the moment of sending."""

    url: str = field(repr=False)
    secrets: tuple[SigningSecret, ...]
    headers: dict[str, str] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class NewHook:
    """What is stored, and the secret that was made for it, if the user brought none."""

    document: Document = field(repr=False)
    shown_secret: str | None = field(default=None, repr=False)

    @property
    def shown_once(self) -> Document:
        """For the one answer that may hold the secret."""
        return self.document | ({"shown_secret": self.shown_secret} if self.shown_secret else {})


class Hooks:
    """Seals what users hand in and opens it for sending."""

    def __init__(self, *, guard: Guard, box: SecretBox, clock: Clock) -> None:
        self._guard = guard
        self._box = box
        self._clock = clock

    def new(self, request: WebhookRequest, *, default_events: Sequence[EventType]) -> NewHook:
        self._check_url(request.url)
        made = None if request.secret else new_secret()
        secret = made or checked_secret(request.secret.get_secret_value() if request.secret else "")
        return NewHook(
            document=self._document(request, (secret,), default_events),
            shown_secret=made.text if made else None,
        )

    def changed(
        self, stored: Document | None, request: WebhookRequest, *, default_events: Sequence[EventType]
    ) -> NewHook:
        """At the same address the old secret stays valid, beside a new one for a while."""
        if stored is None or stored["url"] != request.url:
            return self.new(request, default_events=default_events)
        self._check_url(request.url)
        secrets = self._secrets(stored)
        if request.secret is not None:
            secrets = rotated(secrets, checked_secret(request.secret.get_secret_value()), now=self._clock())
        return NewHook(document=self._document(request, secrets, default_events))

    def open(self, stored: Document) -> Hook:
        headers = json.loads(self._box.open(stored["headers"])) if stored["headers"] else {}
        return Hook(url=stored["url"], secrets=self._secrets(stored), headers=headers)

    def _document(
        self, request: WebhookRequest, secrets: Sequence[SigningSecret], default_events: Sequence[EventType]
    ) -> Document:
        return {
            "url": request.url,
            "events": sorted(set(request.events or default_events)),
            "secrets": [
                {"sealed": self._box.seal(secret.text), "expires_at": secret.expires_at} for secret in secrets
            ],
            "headers": self._box.seal(json.dumps(request.headers)) if request.headers else None,
            "include_markdown": request.include_markdown,
            "include_metadata": request.include_metadata,
            "disabled_at": None,
        }

    def _secrets(self, stored: Document) -> tuple[SigningSecret, ...]:
        return tuple(
            SigningSecret(self._box.open(item["sealed"]), item["expires_at"]) for item in stored["secrets"]
        )

    def _check_url(self, url: str) -> None:
        """Without asking the DNS: names are checked again, with their addresses, at each attempt."""
        try:
            self._guard.check_url(url)
        except UrlNotAllowed as error:
            problem = {"field": "webhook.url", "message": error.message}
            raise UrlNotAllowed(
                f"webhook.url: {error.message}", details=error.details | {"fields": [problem]}
            ) from None


def hook_view(stored: Document | None) -> Document | None:
    """What may be shown of a webhook: no header, no query string, and its secret only when it was made."""
    if stored is None:
        return None
    secret = {"secret": stored["shown_secret"]} if "shown_secret" in stored else {}
    return secret | {
        "url": shown_url(stored["url"]),
        "events": stored["events"],
        "include_markdown": stored["include_markdown"],
        "include_metadata": stored["include_metadata"],
        "disabled_at": stored["disabled_at"],
    }


def wants_jobs(stored: Document | None) -> bool:
    """Whether a batch's receiver asked for the events of its members too."""
    return stored is not None and any(event.startswith("job.") for event in stored["events"])
