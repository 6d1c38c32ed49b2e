"""What a user says about a webhook: where to, which events, what goes along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from common.errors import ValidationFailed
from common.webhooks.events import EventType
from common.webhooks.headers import checked_headers
from common.webhooks.signing import checked_secret

Url = Annotated[str, Field(min_length=1, max_length=8_192)]


class WebhookRequest(BaseModel):
    """A receiver of events. Without a secret one is made, and shown once."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    url: Url
    events: Annotated[list[EventType], Field(min_length=1, max_length=len(EventType))] | None = None
    secret: SecretStr | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    include_markdown: bool = False
    include_metadata: bool = True

    @field_validator("secret")
    @classmethod
    def _has_the_form(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            _told(lambda: checked_secret(value.get_secret_value()))
        return value

    @field_validator("headers")
    @classmethod
    def _are_harmless(cls, value: dict[str, str]) -> dict[str, str]:
        _told(lambda: checked_headers(value))
        return value


class WebhookTestRequest(BaseModel):
    """A receiver to try out: one given here, or that of a job."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)

    webhook: WebhookRequest | None = None
    job_id: Annotated[str, Field(max_length=200)] | None = None


def _told(check: Callable[[], object]) -> None:
    """Our refusal in the form pydantic gives a field's path to."""
    try:
        check()
    except ValidationFailed as error:
        raise ValueError(error.message) from None
