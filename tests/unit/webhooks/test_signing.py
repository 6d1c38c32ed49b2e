"""P21, P22, P25: what we sign, the official verifier accepts; what was changed, it refuses."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from common.errors import ValidationFailed
from common.webhooks.signing import (
    ROTATION_WINDOW,
    SigningSecret,
    checked_secret,
    new_secret,
    rotated,
    signed_headers,
)

BODY = '{"type":"job.completed","job_name":"Grüße"}'.encode()
SECRET = new_secret()


def now() -> datetime:
    return datetime.now(UTC)


def headers(*secrets: SigningSecret, at: datetime | None = None) -> dict[str, str]:
    return signed_headers(message_id="msg_1", body=BODY, secrets=secrets or (SECRET,), now=at or now())


def test_the_official_verifier_accepts_our_signature() -> None:
    assert Webhook(SECRET.text).verify(BODY, headers())["job_name"] == "Grüße"


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (BODY.replace(b"completed", b"failed"), {}),
        (BODY + b" ", {}),
        (BODY, {"webhook-id": "msg_2"}),
        (BODY, {"webhook-timestamp": str(int(now().timestamp()) - 10)}),
        (BODY, {"webhook-signature": "v1," + base64.b64encode(b"x" * 32).decode()}),
        (BODY, {"webhook-signature": ""}),
    ],
)
def test_a_changed_message_is_refused(body: bytes, changed: dict[str, str]) -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET.text).verify(body, headers() | changed)


def test_another_secret_does_not_verify() -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret().text).verify(BODY, headers())


def test_an_old_message_is_refused() -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET.text).verify(BODY, headers(at=now() - timedelta(minutes=10)))


def test_a_retry_has_the_same_id_and_a_fresh_timestamp() -> None:
    first, second = headers(at=now() - timedelta(hours=2)), headers(at=now())

    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 7_200
    Webhook(SECRET.text).verify(BODY, second)


def test_the_timestamp_is_the_same_moment_in_every_time_zone() -> None:
    at = datetime.fromisoformat("2026-03-01T12:00:00+05:00")

    assert headers(at=at)["webhook-timestamp"] == str(int(at.timestamp()))


def test_while_a_secret_is_replaced_both_are_valid_and_then_only_the_new_one() -> None:
    began = now()
    new = new_secret()
    both = rotated([SECRET], new, now=began)

    during = headers(*both, at=began + timedelta(minutes=1))
    after = headers(*both, at=began + ROTATION_WINDOW)

    assert len(during["webhook-signature"].split(" ")) == 2
    for secret in (SECRET, new):
        Webhook(secret.text).verify(BODY, headers(*both))
    assert len(after["webhook-signature"].split(" ")) == 1


def test_a_second_replacement_does_not_prolong_the_first_secrets_life() -> None:
    began = now()
    first = rotated([SECRET], new_secret(), now=began)
    second = rotated(first, new_secret(), now=began + timedelta(hours=1))

    assert [secret.expires_at for secret in second] == [
        None,
        began + timedelta(hours=1) + ROTATION_WINDOW,
        began + ROTATION_WINDOW,
    ]


def test_a_secret_of_the_users_own_is_accepted_in_the_specified_form() -> None:
    for size in (24, 64):
        text = "whsec_" + base64.b64encode(b"k" * size).decode()
        assert checked_secret(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "secret",
        "whsec_",
        "whsec_!!!!",
        base64.b64encode(b"k" * 32).decode(),
        "whsec_" + base64.b64encode(b"k" * 23).decode(),
        "whsec_" + base64.b64encode(b"k" * 65).decode(),
    ],
)
def test_a_secret_in_another_form_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        checked_secret(text)

    assert not text or text not in refusal.value.message or text == "whsec_"


def test_a_secret_is_not_shown_by_accident() -> None:
    assert SECRET.text not in repr(SECRET)


@pytest.mark.parametrize("message_id", ["", "msg.1", "msg 1", "msg\n1"])
def test_an_id_that_could_shift_the_signed_parts_is_a_fault(message_id: str) -> None:
    with pytest.raises(ValueError, match="message id"):
        signed_headers(message_id=message_id, body=BODY, secrets=[SECRET], now=now())


def test_without_an_active_secret_nothing_is_signed() -> None:
    with pytest.raises(ValueError, match="active secret"):
        headers(SigningSecret(SECRET.text, expires_at=now() - timedelta(seconds=1)))
