"""Every command and snippet of the documentation is run, page by page, against the running service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.site import site
from tests.servers.stack import StackServer

ROOT = Path(__file__).parents[3]
EVENT = "https://archive-days.example"
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(sh|python|js)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITH_SNIPPETS = [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", WITH_SNIPPETS, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_the_snippets_of_a_page_work(page: Path, stack: StackServer, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    shutil.copy(ROOT / "functions" / "monitor" / "dashboard" / "client.js", tmp_path / "client.mjs")
    environment = os.environ | {
        "SECRETARY_URL": stack.url,
        "SECRETARY_HOME": str(stack.home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    with event_site(tmp_path / "web") as address:
        for language, code in BLOCK.findall(page.read_text("utf-8")):
            command = program(language, code.replace(EVENT, address), stack.url)
            done = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110
            )
            assert done.returncode == 0, f"{code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def program(language: str, code: str, url: str) -> list[str]:
    if language == "sh":
        return ["bash", "-euo", "pipefail", "-c", code]
    if language == "python":
        return [sys.executable, "-c", f"SECRETARY_URL = {url!r}\n{code}"]
    if shutil.which("node") is None:
        pytest.skip("Node is not installed")
    return ["node", "--input-type=module", "--eval", f"const SECRETARY_URL = {url!r};\n{code}"]


@contextmanager
def event_site(folder: Path) -> Iterator[str]:
    """The samples as the web site of the event that the pages speak of."""
    shutil.copytree(ROOT / "samples", folder / "2026")
    with site(folder) as address:
        for name in ("schedule.xml", "talk.html"):
            text = (folder / "2026" / name).read_text("utf-8")
            (folder / "2026" / name).write_text(text.replace(EVENT, address), "utf-8")
        yield address


def test_the_pages_become_a_web_site_and_each_is_in_its_menu(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)

    assert done.returncode == 0, done.stderr
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert [page.name for page in PAGES if str(page.relative_to(ROOT / "docs")) not in menu] == []


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = [
        (page.name, target)
        for page in [*PAGES, ROOT / "README.md"]
        for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text("utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]

    assert broken == []
