from __future__ import annotations

from pathlib import Path

from common.processing.transform.library import find_template
from common.processing.transform.stored import fetch_templates
from common.services import Services


def test_templates_of_the_bucket_go_before_the_bundled_ones(services: Services, tmp_path: Path) -> None:
    objects = services.objects
    objects.put("my/templates/Session_de.md", b"# Aus dem Eimer: {{title}}", "text/markdown")
    objects.put("my/templates/..md", b"no name", "text/markdown")
    objects.put("my/templates/picture.png", b"no template", "image/png")
    folders = fetch_templates(objects, "my/templates/", tmp_path / "t")
    assert find_template("Session", language="de", folders=folders).body == "# Aus dem Eimer: {{title}}\n"
    assert [path.name for path in (tmp_path / "t").iterdir()] == ["Session_de.md"]
    assert fetch_templates(objects, None, tmp_path / "none") == ()
