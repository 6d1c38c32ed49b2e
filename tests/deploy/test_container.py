"""Dockerfile, entry point and compose file, as far as they can be judged without building them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from common.settings import SettingsError, load_settings
from infra.container.trim import sbom
from infra.local.ports import free_ports
from infra.local.template import ROOT

CONTAINER = ROOT / "infra" / "container"
COMPOSE = ROOT / "infra" / "compose.yaml"
TOOLS = Path(sys.executable).parent
OF_THE_IMAGE = {"SECRETARY_HTTP__BIND": "0.0.0.0"}  # noqa: S104 - what is tested
REQUIRED = {
    "S3_ACCESS_KEY_ID": "key", "S3_SECRET_ACCESS_KEY": "secret", "PUBLIC_OBJECTS_URL": "https://files.example",
    "GATEWAY_SECRET": "g" * 40,
}  # fmt: skip


def test_hadolint_finds_nothing() -> None:
    done = subprocess.run(
        [TOOLS / "hadolint", CONTAINER / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_compose_file_fits_its_schema() -> None:
    command = [str(TOOLS / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def compose_services() -> dict[str, dict[str, Any]]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
    return {name: item for name, item in loaded["services"].items() if "build" in item}


def substituted(value: str, given: dict[str, str]) -> str:
    """`${NAME:-default}` and `${NAME:?why}` as compose reads them."""
    return re.sub(
        r"\$\{(\w+)(?::([-?])([^}]*))?\}",
        lambda match: given.get(match[1]) or (match[3] if match[2] == "-" else given[match[1]]),
        str(value),
    )


def test_the_services_of_one_server_have_settings_that_exist() -> None:
    found = compose_services()
    assert set(found) == {"migrate", "gateway", "worker", "timer"}
    for service in found.values():
        given = {name: substituted(value, REQUIRED) for name, value in service["environment"].items()}
        loaded = load_settings(OF_THE_IMAGE | given)
        assert loaded.queue.adapter == "mongo"
        assert loaded.access.mode == "gateway"


def test_a_container_whose_access_mode_nobody_chose_answers_no_one() -> None:
    name, value = next(iter(OF_THE_IMAGE.items()))
    assert f"{name}={value}" in (CONTAINER / "Dockerfile").read_text("utf-8")
    with pytest.raises(SettingsError, match="access mode open"):
        load_settings(OF_THE_IMAGE)


def test_containers_of_one_server_cannot_write_or_gain_rights() -> None:
    script = (CONTAINER / "entrypoint.sh").read_text("utf-8")
    for service in compose_services().values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert f"\n  {service['command'][0]})" in script
    for service in yaml.safe_load(COMPOSE.read_text("utf-8"))["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_the_image_runs_as_a_user_without_rights_and_asks_for_its_health() -> None:
    lines = (CONTAINER / "Dockerfile").read_text("utf-8").splitlines()
    stages: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("FROM "):
            stages[line.split(" AS ")[1]] = []
        elif stages:
            list(stages.values())[-1].append(line)
    assert [line for line in stages["base"] if line.startswith("USER")] == ["USER 10001:10001"]
    assert [line for line in stages["worker"] if line.startswith("USER")][-1] == "USER 10001:10001"
    assert any(line.startswith("HEALTHCHECK") for line in stages["base"])
    installs = [line for line in lines if "pip install" in line]
    assert installs
    assert all("--constraint constraints.txt" in line for line in installs)


def entry(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = dict(os.environ) | {"PATH": f"{TOOLS}:{os.environ['PATH']}"} | environment
    command = ["sh", str(CONTAINER / "entrypoint.sh"), *arguments]
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)


def test_the_entry_point_says_what_it_expects() -> None:
    wrong = entry("dance")
    assert wrong.returncode == 64
    assert "found: dance" in wrong.stderr
    nameless = entry("serve", FUNCTION_TARGET="")
    assert nameless.returncode != 0
    assert "expected the name of a function" in nameless.stderr
    unknown = entry("serve", FUNCTION_TARGET="dance")
    assert unknown.returncode != 0
    assert "enqueue" in unknown.stderr


def test_the_health_check_fails_where_nobody_answers() -> None:
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "infra.container.health"]
    given = dict(os.environ) | {"PORT": str(port)}
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No answer" in done.stderr


def test_the_bill_of_materials_names_what_is_installed() -> None:
    made = json.loads(json.dumps(sbom()))
    names = {item["name"].lower() for item in made["components"]}
    assert {"pymongo", "pydantic", "boto3"} <= names
    assert all(item["version"] and item["purl"].startswith("pkg:pypi/") for item in made["components"])


@pytest.mark.parametrize("name", ["api", "worker"])
def test_both_targets_exist(name: str) -> None:
    assert f" AS {name}\n" in (CONTAINER / "Dockerfile").read_text("utf-8")
