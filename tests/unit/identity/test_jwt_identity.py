"""P46: a token counts only if the provider signed it, for us, for now."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from hypothesis import given
from hypothesis import strategies as st

from common.access import Caller
from common.errors import DownloadFailed, Unauthorized, Unavailable
from common.identity.base import Roles
from common.identity.jwks import Jwks
from common.identity.jwt import JwtIdentity

DAY = 86_400  # tokens are made when the file is read, which may be long before its tests run
ISSUER, AUDIENCE = "https://id.example", "secretary"
RSA_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
STRANGERS_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def jwk(key: Any, key_id: str, algorithm: Any, **more: str) -> dict[str, Any]:
    return {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": key_id, **more}


RSA_JWK = jwk(RSA_KEY, "rsa", jwt.algorithms.RSAAlgorithm, alg="RS256", use="sig")
EC_JWK = jwk(EC_KEY, "ec", jwt.algorithms.ECAlgorithm)
KEY_SET: dict[str, Any] = {
    "keys": [
        RSA_JWK,
        EC_JWK,
        {"kid": "shared", "kty": "oct", "k": base64.urlsafe_b64encode(b"x" * 32).decode()},
        {**RSA_JWK, "kid": "encryption", "use": "enc"},
        "not a key",
        {"kty": "RSA"},
        {"kty": "RSA", "kid": "broken", "n": "?", "e": "?"},
    ]
}


def identity(
    fetch: Callable[[], Any] = lambda: KEY_SET, clock: Callable[[], float] = lambda: 0.0
) -> JwtIdentity:
    roles = Roles(admin_groups=frozenset({"ops"}))
    return JwtIdentity(issuer=ISSUER, audience=AUDIENCE, keys=Jwks(fetch=fetch, clock=clock), roles=roles)


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    known = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "iat": now, "exp": now + DAY, "groups": ["team"]}
    return {name: value for name, value in {**known, **changed}.items() if value is not None}


def token(
    body: dict[str, Any] | None = None,
    *,
    key: Any = RSA_KEY,
    algorithm: str = "RS256",
    kid: str | None = "rsa",
) -> str:
    return jwt.encode(body or claims(), key, algorithm, headers={"kid": kid} if kid else {})


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}", "x-user-id": "mallory", "x-user-groups": "ops"}


def unsigned(header: dict[str, Any], body: dict[str, Any], signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(body).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def signed_with_the_public_key(form: serialization.PublicFormat, encoding: serialization.Encoding) -> str:
    """The classic mix-up: HMAC, with the published key as the secret."""
    public = RSA_KEY.public_key().public_bytes(encoding, form)
    head = unsigned({"alg": "HS256", "kid": "rsa"}, claims()).rpartition(".")[0]
    return unsigned(
        {"alg": "HS256", "kid": "rsa"}, claims(), hmac.digest(public, head.encode(), hashlib.sha256)
    )


def test_a_token_of_the_provider_names_user_and_groups() -> None:
    expected = Caller(user_id="anna", groups=frozenset({"team"}))

    assert identity().caller(bearer(token())) == expected
    assert identity().caller(bearer(token(key=EC_KEY, algorithm="ES256", kid="ec"))) == expected
    assert identity().caller(bearer(token(claims(aud=["other", AUDIENCE])))) == expected


def test_groups_may_be_one_name_or_missing_and_may_make_an_admin() -> None:
    assert identity().caller(bearer(token(claims(groups="ops")))).is_admin
    assert identity().caller(bearer(token(claims(groups=None)))).groups == frozenset()
    assert identity().caller(bearer(token(claims(groups=[1, None, "a"])))).groups == {"a"}


REFUSED = {
    "no signature, alg none": unsigned({"alg": "none", "kid": "rsa"}, claims()),
    "alg None": unsigned({"alg": "None", "kid": "rsa"}, claims()),
    "no alg": unsigned({"kid": "rsa"}, claims()),
    "alg is a list": unsigned({"alg": ["RS256"], "kid": "rsa"}, claims()),
    "no signature": unsigned({"alg": "RS256", "kid": "rsa"}, claims()),
    "HMAC with the public key, PEM": signed_with_the_public_key(
        serialization.PublicFormat.SubjectPublicKeyInfo, serialization.Encoding.PEM
    ),
    "HMAC with the public key, DER": signed_with_the_public_key(
        serialization.PublicFormat.PKCS1, serialization.Encoding.DER
    ),
    "HMAC with a symmetric key of the set": token(key=b"x" * 32, algorithm="HS256", kid="shared"),
    "another algorithm than the key's": token(algorithm="RS512"),
    "another key type": token(kid="ec"),
    "a stranger's key": token(key=STRANGERS_KEY),
    "an unknown kid": token(kid="unknown"),
    "no kid": token(kid=None),
    "an encryption key": token(kid="encryption"),
    "a broken key": token(kid="broken"),
    "wrong audience": token(claims(aud="other")),
    "no audience": token(claims(aud=None)),
    "wrong issuer": token(claims(iss="https://evil.example")),
    "issuer with a slash": token(claims(iss=ISSUER + "/")),
    "no issuer": token(claims(iss=None)),
    "expired": token(claims(exp=int(time.time()) - 60)),
    "no expiry": token(claims(exp=None)),
    "expiry is not a number": token(claims(exp="never")),
    "not valid yet": token(claims(nbf=int(time.time()) + DAY // 2)),
    "issued in the future": token(claims(iat=int(time.time()) + DAY // 2)),
    "no user": token(claims(sub=None)),
    "user is not a text": token(claims(sub=1)),
    "two users": token(claims(sub="anna,mallory")),
    "empty user": token(claims(sub="")),
    "changed body": token().split(".")[0]
    + "."
    + token(claims(sub="root")).split(".")[1]
    + "."
    + token().split(".")[2],
    "not a token": "abc",
    "two parts": "a.b",
    "deep nesting": base64.urlsafe_b64encode(b"[" * 100_000).decode() + ".e30.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_token_with_a_fault_is_refused(name: str) -> None:
    with pytest.raises(Unauthorized):
        identity().caller(bearer(REFUSED[name]))


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": ""}, {"authorization": "Basic abc"}, {"authorization": "Bearer"}]
)
def test_without_a_token_nobody_is_calling(headers: dict[str, str]) -> None:
    with pytest.raises(Unauthorized):
        identity().caller({**headers, "x-user-id": "mallory"})


def test_a_refusal_says_why_without_quoting_the_token() -> None:
    with pytest.raises(Unauthorized, match="has expired") as refusal:
        identity().caller(bearer(REFUSED["expired"]))

    assert REFUSED["expired"] not in str(refusal.value)


@given(text=st.text())
def test_any_text_as_a_token_is_refused_and_nothing_else_is_raised(text: str) -> None:
    with pytest.raises(Unauthorized):
        identity().caller({"authorization": f"Bearer {text}"})


class Provider:
    """A provider whose keys change and whose clock is ours."""

    def __init__(self) -> None:
        self.asked = 0
        self.time = 0.0
        self.keys: Any = KEY_SET
        self.is_down = False

    def fetch(self) -> Any:
        self.asked += 1
        if self.is_down:
            raise DownloadFailed("down")
        return self.keys

    def identity(self) -> JwtIdentity:
        return identity(self.fetch, lambda: self.time)


def test_keys_are_fetched_once_and_again_after_an_hour() -> None:
    provider = Provider()
    checked = provider.identity()

    for seconds, asked in ((0.0, 1), (10.0, 1), (3_599.0, 1), (3_600.0, 2), (3_700.0, 2)):
        provider.time = seconds
        checked.caller(bearer(token()))
        assert provider.asked == asked


def test_a_new_key_is_found_and_forged_ids_do_not_flood_the_provider() -> None:
    provider = Provider()
    provider.keys = {"keys": [EC_JWK]}
    checked = provider.identity()
    for _ in range(100):
        with pytest.raises(Unauthorized):
            checked.caller(bearer(token()))
    assert provider.asked == 1

    provider.keys, provider.time = KEY_SET, 61.0
    assert checked.caller(bearer(token())).user_id == "anna"
    assert provider.asked == 2


def test_a_removed_key_stops_counting() -> None:
    provider = Provider()
    checked = provider.identity()
    checked.caller(bearer(token()))

    provider.keys, provider.time = {"keys": [EC_JWK]}, 3_600.0
    with pytest.raises(Unauthorized):
        checked.caller(bearer(token()))


def test_a_provider_that_is_down_is_not_the_callers_fault() -> None:
    provider = Provider()
    provider.is_down = True
    checked = provider.identity()
    with pytest.raises(Unavailable):
        checked.caller(bearer(token()))

    provider.is_down = False
    assert checked.caller(bearer(token())).user_id == "anna"
    provider.is_down, provider.time = True, 4_000.0
    assert checked.caller(bearer(token())).user_id == "anna"


@pytest.mark.parametrize("answer", [None, [], {}, {"keys": None}, "x"])
def test_an_answer_that_is_no_key_set_counts_as_down(answer: Any) -> None:
    provider = Provider()
    provider.keys = answer
    with pytest.raises(Unavailable):
        provider.identity().caller(bearer(token()))
