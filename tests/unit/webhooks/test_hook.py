"""What a user entrusts to us for a webhook: checked when it comes in, sealed at rest, never shown again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from common.errors import UrlNotAllowed
from common.outbound.guard import Guard
from common.outbound.policy import OutboundPolicy
from common.webhooks.events import EventType
from common.webhooks.hook import BATCH_END, JOB_ENDS, Hooks, hook_view, wants_jobs
from common.webhooks.request import WebhookRequest
from common.webhooks.secrets import SecretBox, SecretUnreadable
from common.webhooks.signing import new_secret

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = "a key of thirty-two characters or more"
URL = "https://hooks.example/in?token=geheim"
TOKEN = "Bearer top-secret"


def hooks(*keys: str) -> Hooks:
    guard = Guard(OutboundPolicy())
    return Hooks(guard=guard, box=SecretBox(keys=keys or (KEY,)), clock=lambda: NOW)


def request(**changed: object) -> WebhookRequest:
    return WebhookRequest.model_validate({"url": URL, "headers": {"Authorization": TOKEN}} | changed)


def test_a_hook_is_sealed_and_opens_again() -> None:
    mine = new_secret().text
    new = hooks().new(request(secret=mine), default_events=JOB_ENDS)
    stored = json.dumps(new.document, default=str)
    opened = hooks().open(new.document)

    assert mine not in stored + repr(new) + repr(opened)
    assert TOKEN not in stored + repr(opened)
    assert (opened.url, opened.headers) == (URL, {"Authorization": TOKEN})
    assert [secret.text for secret in opened.secrets] == [mine]
    assert new.shown_secret is None


def test_without_a_secret_one_is_made_and_shown_once() -> None:
    new = hooks().new(request(), default_events=JOB_ENDS)

    assert new.shown_secret is not None
    assert hooks().open(new.document).secrets[0].text == new.shown_secret
    assert (hook_view(new.shown_once) or {})["secret"] == new.shown_secret
    assert "secret" not in (hook_view(new.document) or {})


def test_a_view_holds_no_header_no_query_and_nothing_sealed() -> None:
    view = json.dumps(hook_view(hooks().new(request(), default_events=JOB_ENDS).document), default=str)

    assert "hooks.example" in view
    for secret in ("geheim", TOKEN, "sealed", "Authorization"):
        assert secret not in view


def test_the_default_events_are_the_ends() -> None:
    assert hooks().new(request(), default_events=JOB_ENDS).document["events"] == [
        "job.cancelled",
        "job.completed",
        "job.failed",
    ]
    chosen = request(events=["job.started", "job.started", "job.completed"])
    assert hooks().new(chosen, default_events=JOB_ENDS).document["events"] == ["job.completed", "job.started"]


def test_a_batchs_receiver_hears_of_members_only_when_it_asks() -> None:
    assert not wants_jobs(None)
    assert not wants_jobs(hooks().new(request(), default_events=BATCH_END).document)
    both = request(events=[EventType.BATCH_COMPLETED, EventType.JOB_FAILED])
    assert wants_jobs(hooks().new(both, default_events=BATCH_END).document)


def test_a_new_secret_at_the_same_address_stands_beside_the_old_one() -> None:
    first, second = new_secret().text, new_secret().text
    stored = hooks().new(request(secret=first), default_events=JOB_ENDS).document
    changed = hooks().changed(stored, request(secret=second), default_events=JOB_ENDS).document
    opened = hooks().open(changed).secrets

    assert [(secret.text, secret.expires_at) for secret in opened] == [
        (second, None),
        (first, NOW + timedelta(hours=24)),
    ]


def test_a_change_without_a_secret_keeps_it_and_enables_the_hook_again() -> None:
    mine = new_secret().text
    stored = hooks().new(request(secret=mine), default_events=JOB_ENDS).document | {"disabled_at": NOW}
    changed = hooks().changed(stored, request(events=["job.failed"]), default_events=JOB_ENDS)

    assert changed.shown_secret is None
    assert changed.document["disabled_at"] is None
    assert [secret.text for secret in hooks().open(changed.document).secrets] == [mine]


def test_another_address_gets_a_secret_of_its_own() -> None:
    stored = hooks().new(request(), default_events=JOB_ENDS).document
    moved = hooks().changed(stored, request(url="https://other.example/"), default_events=JOB_ENDS)

    assert moved.shown_secret is not None
    assert len(moved.document["secrets"]) == 1


def test_a_replaced_sealing_key_still_opens_what_it_sealed_and_a_lost_one_does_not() -> None:
    stored = hooks().new(request(), default_events=JOB_ENDS).document
    next_key = "the next key, of enough characters too"

    assert hooks(next_key, KEY).open(stored).headers == {"Authorization": TOKEN}
    with pytest.raises(SecretUnreadable):
        hooks(next_key).open(stored)


def test_a_short_sealing_key_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32"):
        SecretBox(keys=("short",))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://169.254.169.254/", "ftp://x.example/", "http://a@x.example/", "x"]
)
def test_an_address_inside_is_refused_when_it_is_handed_in(url: str) -> None:
    with pytest.raises(UrlNotAllowed) as refusal:
        hooks().new(request(url=url), default_events=JOB_ENDS)

    assert refusal.value.http_status == 422
    assert refusal.value.details["fields"][0]["field"] == "webhook.url"


@pytest.mark.parametrize(
    "changed",
    [
        {"url": ""},
        {"events": []},
        {"events": ["job.exploded"]},
        {"secret": "whsec_abc"},
        {"headers": {"Host": "elsewhere"}},
        {"headers": {"webhook-id": "mine"}},
        {"headers": {"Content-Length": "1"}},
        {"headers": {"X-A": "a\r\nX-B: b"}},
        {"headers": {"X A": "b"}},
        {"headers": {f"X-{number}": "" for number in range(21)}},
        {"typo": True},
    ],
)
def test_what_is_wrong_with_a_request_is_named_and_never_quoted(changed: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refusal:
        request(**changed)

    told = str(refusal.value)
    assert next(iter(changed)) in told
    assert "whsec_abc" not in told
    assert "X-B" not in told
