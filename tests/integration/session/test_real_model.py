"""A session written by a real language model. It is a small one: that it answers counts, not how well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.integration.session.test_vault import archive_of, session, wait
from tests.integration.session.vault_links import broken_links
from tests.servers.own_environment import InstallationFailed
from tests.servers.site import site
from tests.servers.small_model.server import SmallModelServer
from tests.servers.stack import StackServer
from tests.unit.processing.session.test_handler import make_pdf

PAGE = """<!doctype html><html lang="en"><head><title>Bread</title></head><body><main><h1>Bread</h1>
<p>Speaker: Ada Lovelace</p><p>This talk is about baking bread: flour, water, salt, yeast and an oven.</p>
<a href="slides.pdf">Slides</a></main></body></html>"""
TEMPLATE = """---
topic: {{topic|What is the talk about, in three words?}}
minutes: {{minutes|How many minutes does it take? (integer)}}
speakers: {{speakers}}
---
# {{session}}

{{summary|One short sentence about the talk.}}

{slides}
--- systemprompt
You answer briefly.
"""

pytestmark = pytest.mark.timeout(400)  # a busy machine writes some tokens in a second


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StackServer]:
    """Where the model cannot be had, CI fails and others skip."""
    try:
        model = SmallModelServer(tmp_path_factory.mktemp("model"))
        model.start()
    except InstallationFailed as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"the small model cannot be had: {error}")
    server = StackServer(tmp_path_factory.mktemp("stack"), environment=model.environment)
    server.start()
    yield server
    server.stop()
    model.stop()


def test_a_template_is_answered_by_a_real_model(service: StackServer, tmp_path: Path) -> None:
    make_pdf(tmp_path / "slides.pdf", ["Flour and water"])
    (tmp_path / "talk.html").write_text(PAGE)
    with service.client() as client, site(tmp_path) as address:
        body = session(address, "talk.html", "bread", target_language="en", template_content=TEMPLATE)
        answer = client.post("/api/jobs", json=body | {"max_attempts": 1}).raise_for_status().json()
        path = f"/api/jobs/{answer['job']['job_id']}"
        job = wait(client, path, "job")
        assert job["status"] == "completed", job["error"]
        info = client.get(path).json()["process"]["llm_info"]
        archive = archive_of(client, job["results"]["archive_url"])
    results = job["results"]
    assert results["warnings"] == []
    said = results["structured_data"]
    assert said["topic"] and said["summary"]
    assert isinstance(said["minutes"], int)
    front, _, text = results["markdown_content"].removeprefix("---\n").partition("\n---\n")
    assert yaml.safe_load(front) == {name: said[name] for name in ("topic", "minutes", "speakers")}
    assert said["summary"] in text and "![[Conf_2025/assets/bread/slide_01.png|300]]" in text
    (request,) = info["requests"]
    assert request["completion_tokens"] > 5 and "SmolLM2" in request["model"]
    assert broken_links(archive) == []
