"""P45, P47: identity comes from the proof of the configured mode, and from nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.access import ACT_FOR_OTHERS, Caller
from common.errors import Unauthorized
from common.identity.api_key import ApiKeyIdentity, StoredKey, new_key
from common.identity.base import Identity, Roles
from common.identity.gateway import GatewayIdentity
from common.identity.open import OpenIdentity

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "correct-horse-battery"
ROLES = Roles(admin_groups=frozenset({"ops"}), service_groups=frozenset({"bots"}))
FORGED = {"x-user-id": "mallory", "x-user-groups": "ops"}


def gateway(*secrets: str) -> GatewayIdentity:
    return GatewayIdentity(secrets=secrets or (SECRET,), roles=ROLES)


def test_open_mode_has_one_user_whatever_the_headers_say() -> None:
    assert OpenIdentity().caller(FORGED) == Caller(user_id="local", is_admin=True)


def test_a_gateway_with_the_secret_names_the_user_and_the_groups() -> None:
    headers = {"x-gateway-secret": SECRET, "x-user-id": "anna", "x-user-groups": "team, readers,,"}

    assert gateway().caller(headers) == Caller(user_id="anna", groups=frozenset({"team", "readers"}))


def test_groups_may_make_an_admin_or_a_service_account() -> None:
    headers = {"x-gateway-secret": SECRET, "x-user-id": "anna"}

    assert gateway().caller({**headers, "x-user-groups": "ops"}).is_admin
    assert gateway().caller({**headers, "x-user-groups": "bots"}).rights == {ACT_FOR_OTHERS}


@pytest.mark.parametrize(
    "secret", [None, "", "wrong", SECRET[:-1], SECRET + "x", SECRET.upper(), "é", "\udcff", "\ud800"]
)
def test_without_the_gateways_secret_a_named_user_counts_for_nothing(secret: str | None) -> None:
    headers = FORGED if secret is None else {**FORGED, "x-gateway-secret": secret}

    with pytest.raises(Unauthorized) as refusal:
        gateway().caller(headers)

    assert SECRET not in refusal.value.message


@pytest.mark.parametrize("user_id", [None, "", " ", "a,b", "anna, mallory", "a\nb", "a\0", " a", "x" * 201])
def test_a_gateway_must_name_exactly_one_user(user_id: str | None) -> None:
    headers = {"x-gateway-secret": SECRET}

    with pytest.raises(Unauthorized):
        gateway().caller(headers if user_id is None else {**headers, "x-user-id": user_id})


def test_two_gateway_secrets_are_valid_while_one_replaces_the_other() -> None:
    identity = gateway(SECRET, "the-next-secret-of-all")

    for secret in (SECRET, "the-next-secret-of-all"):
        assert identity.caller({"x-gateway-secret": secret, "x-user-id": "anna"}).user_id == "anna"


@pytest.mark.parametrize("secrets", [(), ("",), ("short",), (SECRET, "")])
def test_a_gateway_without_a_real_secret_is_not_accepted(secrets: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="at least 16"):
        GatewayIdentity(secrets=secrets, roles=ROLES)


KEY = new_key()
STORED = StoredKey(key_id=KEY.key_id, secret_hash=KEY.secret_hash, user_id="anna", groups=frozenset({"team"}))


def api_keys(stored: StoredKey | None = STORED) -> ApiKeyIdentity:
    return ApiKeyIdentity(find=lambda key_id: stored if key_id == KEY.key_id else None, now=lambda: NOW)


@pytest.mark.parametrize("headers", [{"authorization": f"Bearer {KEY.text}"}, {"x-api-key": KEY.text}])
def test_an_api_key_is_accepted_in_both_headers(headers: dict[str, str]) -> None:
    caller = api_keys().caller({**FORGED, **headers})

    assert caller == Caller(user_id="anna", groups=frozenset({"team"}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sk_",
        KEY.text[:-1],
        KEY.text + "0",
        KEY.text.upper(),
        new_key().text,
        f"sk_{KEY.key_id}_{'0' * 64}",
        f"sk_{KEY.key_id}_{KEY.secret_hash}",
        f"sk_{KEY.key_id}_",
    ],
    ids=lambda _: "",
)
def test_a_wrong_api_key_is_refused(text: str) -> None:
    with pytest.raises(Unauthorized):
        api_keys().caller({**FORGED, "authorization": f"Bearer {text}"})


@pytest.mark.parametrize(
    "changed",
    [
        {"revoked_at": NOW - timedelta(days=1)},
        {"expires_at": NOW},
        {"expires_at": NOW - timedelta(seconds=1)},
    ],
)
def test_a_revoked_or_expired_key_answers_like_an_unknown_one(changed: dict[str, datetime]) -> None:
    stored = StoredKey(key_id=KEY.key_id, secret_hash=KEY.secret_hash, user_id="anna", **changed)  # type: ignore[arg-type]
    with pytest.raises(Unauthorized) as gone:
        api_keys(stored).caller({"x-api-key": KEY.text})
    with pytest.raises(Unauthorized) as unknown:
        api_keys(None).caller({"x-api-key": KEY.text})

    assert gone.value.as_dict() == unknown.value.as_dict()


def test_a_key_is_never_shown_by_accident_and_never_stored() -> None:
    secret = KEY.text.rpartition("_")[2]

    assert secret not in repr(KEY) + repr(STORED)
    assert secret not in STORED.secret_hash


def test_new_keys_differ() -> None:
    assert len({new_key().text for _ in range(100)}) == 100


@given(
    headers=st.dictionaries(
        st.sampled_from(["authorization", "x-api-key", "x-gateway-secret", "x-user-id"]), st.text()
    )
)
def test_any_other_headers_are_refused_and_nothing_else_is_raised(headers: dict[str, str]) -> None:
    modes: list[Identity] = [gateway(), api_keys()]
    for mode in modes:
        with pytest.raises(Unauthorized):
            mode.caller(headers)
