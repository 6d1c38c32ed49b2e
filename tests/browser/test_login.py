"""The dashboard of a service that asks who is calling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from common.access import Caller
from common.keys.manage import create_key
from common.services import Services
from tests.servers.gateway import gateway
from tests.servers.seaweed import SeaweedServer

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
