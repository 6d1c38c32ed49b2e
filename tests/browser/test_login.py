"""The dashboard of a service that asks who is calling."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from playwright.sync_api import Browser, expect

from common.access import Caller
from common.keys.manage import create_key
from common.services import Services
from tests.servers.gateway import gateway
from tests.servers.seaweed import SeaweedServer
from tests.servers.site import site

ADMIN = Caller(user_id="operator", is_admin=True)


@pytest.fixture
def environment(database_environment: dict[str, str], object_server: SeaweedServer) -> dict[str, str]:
    return database_environment | object_server.environment | {"SECRETARY_ACCESS__MODE": "api_key"}


@pytest.fixture
def url(environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    with gateway(environment, tmp_path) as address:
        yield address


def test_a_key_opens_the_dashboard_until_the_user_signs_out(
    browser: Browser, services: Services, url: str
) -> None:
    key, _ = create_key(services, ADMIN, {"user_id": "anna"})
    page = browser.new_context(base_url=url, locale="en").new_page()
    page.goto("/monitoring/events")
    page.get_by_label("API key or token").fill("sk_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("API key or token").fill(key.text)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert key.text not in page.url
    page.context.close()


def test_a_token_of_the_identity_provider_opens_it_too(
    browser: Browser, environment: dict[str, str], tmp_path: Path
) -> None:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    published = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) | {"kid": "first"}
    (tmp_path / "provider").mkdir()
    (tmp_path / "provider" / "keys.json").write_text(json.dumps({"keys": [published]}))
    with site(tmp_path / "provider") as provider:
        settings = {
            "SECRETARY_ACCESS__MODE": "jwt",
            "SECRETARY_ACCESS__JWT_ISSUER": provider,
            "SECRETARY_ACCESS__JWT_AUDIENCE": "secretary",
            "SECRETARY_ACCESS__JWT_JWKS_URL": f"{provider}/keys.json",
            "SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8",
        }
        now = int(time.time())
        claims = {"iss": provider, "aud": "secretary", "sub": "anna", "iat": now, "exp": now + 600}
        token = jwt.encode(claims, key, "RS256", headers={"kid": "first"})
        with gateway(environment | settings, tmp_path) as address:
            page = browser.new_context(base_url=address, locale="de").new_page()
            page.goto("/monitoring/events")
            page.get_by_label("API-Schlüssel oder Token").fill(token[:-8] + "AAAAAAAA")
            page.get_by_role("button", name="Anmelden").click()
            expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
            page.get_by_label("API-Schlüssel oder Token").fill(token)
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", level=1)).to_have_text("Übersicht")
            page.context.close()
