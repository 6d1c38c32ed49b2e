"""P45: keys are stored hashed, shown once, and useless once revoked; the first one comes from the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from common.access import ACT_FOR_OTHERS, Caller
from common.errors import Forbidden, NotFound, ValidationFailed
from common.keys.manage import create_key, key_view, list_keys, revoke_key
from common.services import Services
from tests.servers.gateway import gateway
from tests.servers.seaweed import SeaweedServer

ADMIN = Caller(user_id="boss", is_admin=True)
PDF = {"job_type": "pdf", "parameters": {"url": "https://x.example/a.pdf"}}


@pytest.fixture
def environment(database_environment: dict[str, str], object_server: SeaweedServer) -> dict[str, str]:
    return database_environment | object_server.environment | {"SECRETARY_ACCESS__MODE": "api_key"}


@pytest.fixture
def api(environment: dict[str, str], tmp_path: Path) -> Iterator[httpx.Client]:
    with gateway(environment, tmp_path) as url, httpx.Client(base_url=url) as client:
        yield client


def secretary(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "common.client.command", "keys", *arguments],
        env=dict(os.environ) | environment | {"SECRETARY_LANGUAGE": "en"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_key_is_stored_without_its_text(services: Services) -> None:
    made, stored = create_key(services, ADMIN, {"user_id": "anna", "name": "import", "groups": ["team"]})
    secret = made.text.rpartition("_")[2]
    document = str(list(services.database["api_keys"].find()))

    assert secret not in document
    assert made.text not in document + json.dumps(key_view(stored), default=str)
    found = services.keys.find(made.key_id)
    assert found == stored


def test_only_an_administrator_hands_out_lists_and_revokes(services: Services) -> None:
    anna = Caller(user_id="anna", rights=frozenset({ACT_FOR_OTHERS}))
    for act in (
        lambda: create_key(services, anna, {"user_id": "anna"}),
        lambda: list_keys(services, anna),
        lambda: revoke_key(services, anna, "0" * 16),
    ):
        with pytest.raises(Forbidden):
            act()


@pytest.mark.parametrize(
    "body",
    [{}, {"user_id": ""}, {"user_id": "a,b"}, {"user_id": "a", "rights": ["all"]}, {"user_id": "a", "x": 1}],
)
def test_a_key_for_nobody_is_refused(services: Services, body: dict[str, object]) -> None:
    with pytest.raises(ValidationFailed):
        create_key(services, ADMIN, body)


def test_revoking_twice_keeps_the_first_moment_and_an_unknown_key_is_not_found(services: Services) -> None:
    made, _ = create_key(services, ADMIN, {"user_id": "anna"})
    revoke_key(services, ADMIN, made.key_id)
    (first,) = list_keys(services, ADMIN)
    revoke_key(services, ADMIN, made.key_id)
    (second,) = list_keys(services, ADMIN)

    assert first.revoked_at == second.revoked_at is not None
    with pytest.raises(NotFound):
        revoke_key(services, ADMIN, "0" * 16)


def test_the_first_key_comes_from_the_command_and_opens_the_api(
    api: httpx.Client, environment: dict[str, str]
) -> None:
    made = secretary(environment, "create", "boss", "--admin", "--name", "first")
    key = made.stdout.strip()
    boss = {"X-API-Key": key}

    assert (made.returncode, made.stderr) == (0, "")
    assert api.get("/api/jobs").status_code == 401
    assert api.get("/api/jobs", headers={"X-User-ID": "boss"}).status_code == 401
    assert api.post("/api/jobs", json=PDF, headers=boss).json()["job"]["user_id"] == "boss"

    second = api.post("/api/keys", json={"user_id": "anna"}, headers=boss)
    anna = {"Authorization": f"Bearer {second.json()['data']['key']}"}
    assert second.status_code == 201
    assert second.headers["Cache-Control"] == "no-store"
    assert api.get("/api/jobs", headers=anna).json()["total"] == 0
    assert api.post("/api/keys", json={"user_id": "anna"}, headers=anna).status_code == 403

    listed = api.get("/api/keys", headers=boss)
    assert {row["user_id"] for row in listed.json()["data"]["keys"]} == {"boss", "anna"}
    assert anna["Authorization"].rpartition("_")[2] not in listed.text

    revoked = secretary(environment, "revoke", second.json()["data"]["key_id"])
    assert revoked.returncode == 0
    assert api.get("/api/jobs", headers=anna).status_code == 401
    assert len(secretary(environment, "list", "--json").stdout.splitlines()) == 2


def test_without_a_database_the_command_says_what_it_expected(tmp_path: Path) -> None:
    done = secretary({}, "list", "--home", str(tmp_path))

    assert done.returncode == 1
    assert "Expected a running service" in done.stderr
    assert "Traceback" not in done.stderr
