"""`secretary batch`, `import`, `templates`, `stats`, `keys` and the service's own commands."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from infra.local.ports import free_ports
from tests.integration.command.conftest import SAMPLES, Command
from tests.servers.site import site


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return tmp_path / "jobs.json"


def test_a_batch_from_its_file_to_its_vault(secretary: Command, jobs: Path, tmp_path: Path) -> None:
    with site(SAMPLES) as address:
        body = [
            {"job_type": "pdf", "max_attempts": 1, "parameters": {"url": f"{address}/{name}"}}
            for name in ("slides.pdf", "none.pdf")
        ]
        jobs.write_text(json.dumps({"jobs": body, "batch_name": "from a file"}))
        made = secretary("batch", "create", jobs, "--name", "two papers", "--json")
        batch_id = made.json["batch_id"]
        assert made.json["batch_name"] == "two papers"

        watched = secretary("batch", "watch", batch_id)
        assert watched.code == 1
        assert watched.out.strip() == f"{batch_id} partly failed (1 completed, 1 failed)"
        assert secretary("batch", "retry", batch_id).code == 0
        assert secretary("batch", "watch", batch_id, "--timeout", "90", "--json").json["failed_jobs"] == 1

    fetched = secretary("batch", "download", batch_id, "--out", tmp_path, "--json")
    assert "errors.json" in zipfile.ZipFile(fetched.json["file"]).namelist()
    assert (
        secretary("list", "--batch", batch_id, "--status", "completed", "--json").json["batch_id"] == batch_id
    )


@pytest.mark.parametrize("text", ["{", "3", '{"batch_name": "no jobs"}'])
def test_a_file_that_holds_no_jobs_is_wrong_usage(secretary: Command, jobs: Path, text: str) -> None:
    jobs.write_text(text)

    assert secretary("batch", "create", jobs).code == 2
    assert secretary("batch", "create", jobs.with_name("none.json")).code == 2


def test_a_batch_that_is_not_there_ends_with_1(secretary: Command) -> None:
    for action in ("watch", "retry", "download"):
        assert secretary("batch", action, "batch-0").code == 1


def test_a_schedule_is_shown_and_then_imported(secretary: Command) -> None:
    schedule = SAMPLES / "schedule.xml"
    assert "Keeping the Minutes" in secretary("import", schedule, "--dry-run").out
    planned = secretary("import", schedule, "--dry-run", "--json").json
    assert planned["total"] == len(planned["jobs"]) > 1
    assert secretary("import", schedule, "--limit", "1", "--dry-run", "--json").json["total"] == 1
    assert secretary("import", "nowhere.xml").code == 2

    batch_id = secretary("import", schedule, "--limit", "1").out.strip()
    assert secretary("list", "--batch", batch_id, "--json").json["job_type"] == "session"


def test_templates_and_statistics(secretary: Command) -> None:
    assert "Session" in secretary("templates").out
    assert all(json.loads(line)["name"] for line in secretary("templates", "--json").out.splitlines())
    secretary("submit", SAMPLES / "slides.pdf", "--wait")
    assert "pdf" in secretary("stats").out
    assert secretary("stats", "--json").json["jobs"]["completed"] > 0


def test_keys_are_made_listed_and_revoked(secretary: Command) -> None:
    made = secretary("keys", "create", "anna", "--group", "archive", "--days", "3", "--json").json
    assert made["key"].startswith("sk_")
    assert secretary("keys", "create", "bert").out.startswith("sk_")
    listed = secretary("keys", "list")
    assert made["key_id"] in listed.out and made["key"] not in listed.out
    assert secretary("keys", "revoke", made["key_id"], "--json").json["revoked"] is True
    rows = [json.loads(line) for line in secretary("keys", "list", "--json").out.splitlines()]
    assert {row["user_id"]: bool(row["revoked_at"]) for row in rows} == {"anna": True, "bert": False}


def test_doctor_down_and_migrate_speak_json_too(secretary: Command, tmp_path: Path) -> None:
    findings = [json.loads(line) for line in secretary("doctor", "--json").out.splitlines()]
    assert {"Python", "mongod", "SeaweedFS"} <= {finding["name"] for finding in findings}
    assert secretary("down", "--home", tmp_path, "--json").json["stopped"] is False
    assert "Nothing runs" in secretary("down", "--home", tmp_path).out
    assert secretary("migrate", "--json").json == {"migrated": {"jobs": 0, "batches": 0}}


def test_up_leaves_it_running_until_down(secretary: Command, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    try:
        told = secretary("up", "--home", tmp_path, "--port", port, "--detach", "--json").json
        assert told["dashboard"] == f"http://127.0.0.1:{port}/monitoring/events"
        again = secretary("up", "--home", tmp_path, "--port", port, "--detach")
        assert again.code == 1
        done = secretary(
            "run", SAMPLES / "slides.pdf", "--home", tmp_path, "--out", tmp_path / "out", "--json"
        )
        assert (done.code, done.json["error"]) == (0, None)
    finally:
        stopped = secretary("down", "--home", tmp_path)
    assert stopped.out.strip() == "stopped"
