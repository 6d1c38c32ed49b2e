"""The specification is complete, its examples work, and its page runs under a strict policy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from infra.local.template import http_routes
from tests.servers.site import site

# Pages for people are no part of an API's specification.
NOT_SPECIFIED = {"/monitoring/events", "/monitoring/assets/{path+}"}

SCHEDULE = """<schedule><conference><title>Days</title></conference><day date="2025-02-01"><room name="A">
<event id="1"><start>10:00</start><title>Welcome</title><url>https://example.org/welcome</url></event>
</room></day></schedule>"""


@pytest.fixture
def specification(api: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/api/openapi.json").json()
    return found


def test_every_route_is_in_the_specification(specification: dict[str, Any]) -> None:
    told = {(method.upper(), path) for path, methods in specification["paths"].items() for method in methods}
    declared = {
        (route.method, route.path.replace("+}", "}"))
        for route in http_routes()
        if route.path not in NOT_SPECIFIED
    }
    assert told == declared


def test_every_reference_points_to_a_schema(specification: dict[str, Any]) -> None:
    names = set(re.findall(r"#/components/schemas/([\w-]+)", str(specification)))
    assert names <= set(specification["components"]["schemas"])


def test_each_answer_is_described_by_its_own_status(specification: dict[str, Any]) -> None:
    found = {
        (status, answer["description"])
        for methods in specification["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if status.startswith("20")
    }
    assert found == {("200", "OK"), ("201", "Created"), ("202", "Accepted")}


def test_each_job_type_has_a_form_of_its_own(api: httpx.Client, specification: dict[str, Any]) -> None:
    schemas = specification["components"]["schemas"]
    types = {row["job_type"] for row in api.get("/api/job-types").json()["data"]["job_types"]}
    forms = {
        schemas[form["$ref"].rsplit("/", 1)[1]]["properties"]["job_type"]["enum"][0]
        for form in schemas["JobRequest"]["oneOf"]
    }
    assert forms == types


def test_every_example_works(api: httpx.Client, specification: dict[str, Any], tmp_path: Path) -> None:
    """Word for word, but for what would be fetched at once from a host that tests cannot reach."""
    (tmp_path / "schedule.xml").write_text(SCHEDULE)
    with site(tmp_path) as url:
        assert _try_all(api, specification, url) >= 8


def _try_all(api: httpx.Client, specification: dict[str, Any], url: str) -> int:
    tried = 0
    for path, methods in specification["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            for example in content.get("examples", {}).values():
                text = json.dumps(example["value"]).replace("https://example.org/schedule", f"{url}/schedule")
                answer = api.request(method, path, content=text)
                assert str(answer.status_code) in operation["responses"], (path, answer.text)
                assert answer.is_success, (path, answer.text)
                tried += 1
    return tried


def test_the_page_allows_nothing_but_itself(api: httpx.Client) -> None:
    page = api.get("/docs")
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"(?:src|href)=[\"']https?:", page.text)
