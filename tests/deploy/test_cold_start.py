"""A function opens its port with the framework alone; its routes do without the libraries that open
documents, sign URLs or call models."""

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
import importlib, json, sys
from functions_framework import create_app
def loaded():
    return sorted({name.partition(".")[0] for name in sys.modules})
create_app(target=sys.argv[1], source=sys.argv[2], signature_type="http")
started = loaded()
importlib.import_module(f"functions.{sys.argv[1]}.routes")
print(json.dumps([started, loaded()]))
"""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_starts_without_the_heavy_libraries(name: str) -> None:
    command = [sys.executable, "-c", PROBE, name, str(function_source(name))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    started, answering = (set(names) for names in json.loads(done.stdout))
    assert "flask" in started, "the probe did not load the function at all"
    assert started & {"common", "pydantic", "pymongo"} == set()
    assert {"common", "pydantic", "pymongo"} <= answering, "the probe did not load the routes at all"
    assert answering & HEAVY == ALSO_LOADED.get(name, set())
