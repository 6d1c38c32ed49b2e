"""P46, P47: the configured mode, from the settings to a caller, against a real provider."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from common.access import Caller
from common.clock import utc_now
from common.errors import Unauthorized, Unavailable
from common.identity.api_key import StoredKey, new_key
from common.identity.base import Identity
from common.identity.configured import identity_of
from common.settings import SettingsError, load_settings
from tests.unit.outbound.loopback import Loopback

SECRET = "correct-horse-battery"
FAR_AWAY = 4_000_000_000  # in the year 2096
FORGED = {"x-user-id": "mallory", "x-user-groups": "ops"}


def identity(*stored: StoredKey, **access: str) -> Identity:
    environment = {f"SECRETARY_ACCESS__{name.upper()}": value for name, value in access.items()}
    keys = {key.key_id: key for key in stored}
    return identity_of(load_settings(environment), find_key=keys.get, now=utc_now)


def test_without_any_setting_there_is_one_local_administrator() -> None:
    assert identity().caller(FORGED) == Caller(user_id="local", is_admin=True)


def test_the_gateway_mode_trusts_the_gateway_and_no_one_else() -> None:
    mode = identity(mode="gateway", gateway_secret=SECRET, admin_users="anna", service_groups="bots")

    anna = mode.caller({"x-gateway-secret": SECRET, "x-user-id": "anna"})
    assert anna.is_admin
    with pytest.raises(Unauthorized):
        mode.caller(FORGED)


def test_two_gateway_secrets_may_be_set_at_once() -> None:
    mode = identity(mode="gateway", gateway_secret=f"{SECRET},another-long-secret")

    for secret in (SECRET, "another-long-secret"):
        assert mode.caller({"x-gateway-secret": secret, "x-user-id": "anna"}).user_id == "anna"


def test_the_api_key_mode_ignores_what_a_gateway_would_set() -> None:
    key = new_key()
    mode = identity(StoredKey(key_id=key.key_id, secret_hash=key.secret_hash, user_id="anna"), mode="api_key")

    assert mode.caller({**FORGED, "x-api-key": key.text}).user_id == "anna"
    with pytest.raises(Unauthorized):
        mode.caller(FORGED)


@pytest.mark.parametrize(
    ("access", "missing"),
    [
        ({"mode": "gateway"}, "gateway_secret"),
        ({"mode": "jwt"}, "jwt_issuer"),
        ({"mode": "jwt", "jwt_issuer": "https://id.example"}, "jwt_audience"),
    ],
)
def test_a_mode_without_what_it_needs_does_not_start(access: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingsError, match=missing):
        identity(**access)


@pytest.mark.parametrize("address", ["0.0.0.0", "192.168.1.5", "::"])  # noqa: S104 - refused
def test_the_open_mode_is_refused_on_any_address_but_loopback(address: str) -> None:
    with pytest.raises(SettingsError, match="loopback"):
        load_settings({"SECRETARY_HTTP__BIND": address})
    others = {"SECRETARY_ACCESS__MODE": "api_key", "SECRETARY_HTTP__BIND": address}
    assert str(load_settings(others).http.bind) == address


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1"])
def test_the_open_mode_listens_on_loopback(address: str) -> None:
    assert str(load_settings({"SECRETARY_HTTP__BIND": address}).http.bind) == address


KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2048)


@pytest.fixture
def provider() -> Iterator[Loopback]:
    """An identity provider on loopback: discovery and keys."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
    key_set = {"keys": [public | {"kid": "one", "use": "sig", "alg": "RS256"}]}
    with Loopback() as server:
        discovery = {"jwks_uri": server.url("/keys")}
        server.routes["/.well-known/openid-configuration"] = lambda exchange: exchange.reply(
            body=json.dumps(discovery).encode()
        )
        server.routes["/keys"] = lambda exchange: exchange.reply(body=json.dumps(key_set).encode())
        yield server


def token(issuer: str, **changed: object) -> dict[str, str]:
    claims = {"sub": "anna", "iss": issuer, "aud": "secretary", "exp": time.time() + 60, "teams": ["ops"]}
    text = jwt.encode(claims | changed, KEY, algorithm="RS256", headers={"kid": "one"})
    return {"authorization": f"Bearer {text}"}


def test_the_jwt_mode_finds_the_keys_of_its_issuer(provider: Loopback) -> None:
    issuer = provider.url("/")
    mode = identity(
        mode="jwt", jwt_issuer=issuer, jwt_audience="secretary", jwt_groups_claim="teams", admin_groups="ops"
    )

    assert mode.caller({**FORGED, **token(issuer)}) == Caller(
        user_id="anna", groups=frozenset({"ops"}), is_admin=True
    )
    mode.caller(token(issuer))
    assert [seen.path for seen in provider.seen] == ["/.well-known/openid-configuration", "/keys"]


@pytest.mark.parametrize(
    "changed", [{"aud": "other"}, {"iss": "https://other.example"}, {"exp": 1}, {"nbf": FAR_AWAY}]
)
def test_the_jwt_mode_refuses_a_token_that_is_not_for_us_or_not_now(
    provider: Loopback, changed: dict[str, object]
) -> None:
    issuer = provider.url("/")
    mode = identity(
        mode="jwt", jwt_issuer=issuer, jwt_audience="secretary", jwt_jwks_url=provider.url("/keys")
    )

    with pytest.raises(Unauthorized):
        mode.caller(token(issuer, **changed))


@pytest.mark.parametrize("answer", [b"{}", b"[]", b"no json", b'{"jwks_uri": 5}'])
def test_a_provider_without_a_usable_discovery_is_not_the_callers_fault(
    provider: Loopback, answer: bytes
) -> None:
    provider.routes["/.well-known/openid-configuration"] = lambda exchange: exchange.reply(body=answer)
    issuer = provider.url("/")
    mode = identity(mode="jwt", jwt_issuer=issuer, jwt_audience="secretary")

    with pytest.raises(Unavailable):
        mode.caller(token(issuer))
