"""A real browser on the real service. Pictures of every page are kept in out/screenshots, to be looked at."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.servers.stack import StackServer

PICTURES = Path(__file__).parents[2] / "out" / "screenshots"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Its event loop must be gone before other tests run theirs."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, stack: StackServer, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page in the language the test asks for by `@pytest.mark.parametrize("language", …)`, else English."""
    language = (
        request.node.callspec.params.get("language", "en") if hasattr(request.node, "callspec") else "en"
    )
    context = browser.new_context(base_url=stack.url, locale=language, accept_downloads=True)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield opened
    PICTURES.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", request.node.name).strip("-")
    opened.screenshot(path=PICTURES / f"{name}.png", full_page=True)
    context.close()
    expected = request.node.get_closest_marker("expects_console_errors")
    assert expected or not problems, problems
