"""Every command and snippet of the documentation is run, page by page, against the running service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.stack import StackServer

ROOT = Path(__file__).parents[3]
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITH_SNIPPETS = [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", WITH_SNIPPETS, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_the_snippets_of_a_page_work(page: Path, stack: StackServer, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    programs = Path(sys.executable).parent
    environment = os.environ | {
        "SECRETARY_URL": stack.url,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    for language, code in BLOCK.findall(page.read_text("utf-8")):
        if language == "sh":
            command = ["bash", "-euo", "pipefail", "-c", code]
        else:
            command = [sys.executable, "-c", f"SECRETARY_URL = {stack.url!r}\n{code}"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110
        )
        assert done.returncode == 0, f"{code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = [
        (page.name, target)
        for page in [*PAGES, ROOT / "README.md"]
        for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text("utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]

    assert broken == []
