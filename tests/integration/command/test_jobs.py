"""Commands about jobs: what they print, in JSON too, and the exit codes that scripts rely on."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from infra.local.ports import free_ports
from tests.integration.command.conftest import SAMPLES, Command


def test_a_document_from_handing_in_to_its_zip(secretary: Command, tmp_path: Path) -> None:
    done = secretary("submit", SAMPLES / "slides.pdf", "--wait", "--json", "--tag", "shell")
    assert (done.code, done.json["status"], done.json["tags"]) == (0, "completed", ["shell"])
    job_id = done.json["job_id"]

    shown = secretary("show", job_id)
    assert shown.out.splitlines()[0] == "slides.pdf · pdf · completed"
    assert secretary("show", job_id, "--json").json["results"]["markdown_content"] in shown.out
    assert "#1 info: " in secretary("logs", job_id).out
    assert all("message" in json.loads(line) for line in secretary("logs", job_id, "--json").out.splitlines())

    fetched = secretary("download", job_id, "--out", tmp_path / "zips")
    assert zipfile.ZipFile(fetched.out.strip()).testzip() is None
    assert Path(secretary("download", job_id, "--out", tmp_path, "--json").json["file"]).is_file()

    again = secretary("restart", job_id, "--fresh", "--wait", "--json")
    assert (again.code, again.json["attempt"]) == (0, 2)
    assert secretary("watch", job_id).out.strip() == f"{job_id} completed"
    assert secretary("watch", job_id, "--json").json["job_id"] == job_id


def test_the_file_decides_the_type(secretary: Command) -> None:
    done = secretary("submit", SAMPLES / "slides.pptx", "--wait", "--json")

    assert (done.code, done.json["job_type"]) == (0, "office")


def test_bars_go_to_standard_error_and_ids_to_standard_output(secretary: Command) -> None:
    done = secretary("submit", SAMPLES / "report.pdf", "--wait")

    assert (done.code, len(done.out.split())) == (0, 1)
    assert done.out.startswith("job-")
    assert "100 %" in done.err and "report.pdf" in done.err


def test_the_list_is_filtered(secretary: Command) -> None:
    job_id = secretary("submit", SAMPLES / "slides.pdf", "--tag", "Brombeere", "--wait").out.strip()

    assert secretary("list", "--tag", "Brombeere", "--json").json["job_id"] == job_id
    assert job_id in secretary("list", "--type", "pdf", "--status", "completed", "--search", "slides").out
    assert secretary("list", "--tag", "Stachelbeere").out.strip() == "Nothing found."
    assert len(secretary("list", "--limit", "1", "--json").out.splitlines()) == 1


def test_a_failed_job_ends_with_1_and_says_why(secretary: Command, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing more")
    done = secretary("submit", tmp_path / "broken.pdf", "--wait")

    assert done.code == 1
    watched = secretary("watch", done.out.strip())
    assert watched.code == 1
    assert "UNSUPPORTED_FILE" in watched.out


def test_waiting_too_long_ends_with_4_and_a_cancel_stops_the_job(secretary: Command) -> None:
    late = "https://127.0.0.1:1/a.pdf"  # refused by nobody for a while: attempts are spread over minutes
    job_id = secretary("submit", late).out.strip()

    waited = secretary("watch", job_id, "--timeout", "0.5")
    assert (waited.code, "Not finished after 0.5 seconds" in waited.err) == (4, True)
    secretary("cancel", job_id, "--json")
    ended = secretary("watch", job_id, "--json")
    assert (ended.code, ended.json["status"]) == (1, "cancelled")
    assert secretary("restart", job_id).out.strip() == f"{job_id} waiting"
    assert secretary("cancel", job_id).code == 0


def test_nobody_at_the_address_ends_with_3_and_a_hint(secretary: Command) -> None:
    (port,) = free_ports(1)
    done = secretary("list", SECRETARY_URL=f"http://127.0.0.1:{port}")

    assert done.code == 3
    assert f":{port}" in done.err and "`secretary up`" in done.err


def test_what_does_not_exist_ends_with_1(secretary: Command) -> None:
    for arguments in (("show", "job-0"), ("logs", "job-0"), ("download", "job-0"), ("cancel", "job-0")):
        done = secretary(*arguments)
        assert (done.code, done.err.splitlines()[-1].startswith("Failed: Not found: ")) == (1, True)
    assert "no file" in secretary("submit", "nowhere.pdf").err


def test_wrong_usage_ends_with_2(secretary: Command) -> None:
    assert secretary("submit").code == 2
    assert secretary("submit", SAMPLES / "slides.pdf", "--set", "nothing").code == 2
    assert secretary("knit").code == 2


def test_messages_are_german_where_the_locale_is(secretary: Command) -> None:
    german = {"SECRETARY_LANGUAGE": "", "LC_ALL": "de_DE.UTF-8"}

    assert secretary("show", "job-0", **german).err.startswith("Fehlgeschlagen: Nicht gefunden: ")
    assert secretary("list", "--tag", "Stachelbeere", **german).out.strip() == "Nichts gefunden."
    assert "Einen Auftrag abbrechen" in secretary("cancel", "--help", **german).out


def test_the_shell_is_told_how_to_complete(secretary: Command) -> None:
    asked = {"_SECRETARY_COMPLETE": "complete_bash", "COMP_WORDS": "secretary ba", "COMP_CWORD": "1"}

    assert secretary(**asked).out.split() == ["batch"]
    assert "complete" in secretary("--show-completion", SHELL="/bin/bash").out
