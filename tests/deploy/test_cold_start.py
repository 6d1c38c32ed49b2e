"""API functions start without the libraries that open documents, sign URLs or call models."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from infra.local.template import ROOT, function_source

HEAVY = {
    "boto3", "botocore", "pypdfium2", "pypdf", "liteparse", "lxml", "PIL", "tesserocr", "openai", "yt_dlp",
    "selectolax", "markdownify", "pptx", "mammoth", "openpyxl", "numpy", "rich", "typer", "zipstream",
}  # fmt: skip
# All of them: process and session open documents in a child process, which loads what it needs.
FUNCTIONS = ("enqueue", "status", "manage", "download", "session", "monitor", "notify", "sweep", "process")
# The HTTP client brings its own command line along; only notify sends requests at all.
ALSO_LOADED = {"notify": {"rich"}}

PROBE = """
import json, sys
from functions_framework import create_app
create_app(target=sys.argv[1], source=sys.argv[2], signature_type="http")
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_starts_without_the_heavy_libraries(name: str) -> None:
    command = [sys.executable, "-c", PROBE, name, str(function_source(name))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(json.loads(done.stdout))
    assert "flask" in loaded, "the probe did not load the function at all"
    assert loaded & HEAVY == ALSO_LOADED.get(name, set())
