from __future__ import annotations

from pathlib import Path

import httpx

from common.processing.transform.library import find_template
from common.processing.transform.stored import fetch_templates
from common.services import Services
from tests.servers.gateway import gateway


def test_templates_of_the_bucket_go_before_the_bundled_ones(services: Services, tmp_path: Path) -> None:
    objects = services.objects
    objects.put("my/templates/Session_de.md", b"# Aus dem Eimer: {{title}}", "text/markdown")
    objects.put("my/templates/..md", b"no name", "text/markdown")
    objects.put("my/templates/picture.png", b"no template", "image/png")
    folders = fetch_templates(objects, "my/templates/", tmp_path / "t")
    assert find_template("Session", language="de", folders=folders).body == "# Aus dem Eimer: {{title}}\n"
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["Session_de.md"]
    assert fetch_templates(objects, None, tmp_path / "none") == ()


def test_templates_of_the_bucket_are_listed(
    services: Services, environment: dict[str, str], tmp_path: Path
) -> None:
    for name in ("Session_de.md", "Retrospective_en.md", "no name.md"):
        services.objects.put(f"listed/templates/{name}", b"# {{title}}", "text/markdown")
    with gateway(environment | {"SECRETARY_TEMPLATES__PREFIX": "listed/templates/"}, tmp_path) as url:
        rows = httpx.get(f"{url}/api/templates").raise_for_status().json()["data"]["templates"]
    found = {(row["name"], one["language"]): one["bundled"] for row in rows for one in row["languages"]}

    assert found["Retrospective", "en"] is False
    assert (found["Session", "de"], found["Session", "en"]) == (False, True)
    assert "no name" not in {row["name"] for row in rows}
