"""`secretary convert` and `doctor`: no service at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).parents[3] / "samples"


def secretary(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "common.client.command", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_bad_input_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_text("no PDF")

    done = secretary(
        "convert", SAMPLES / "report.pdf", bad, tmp_path / "missing.pdf", SAMPLES / "slides.pdf",
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip

    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [(line["error"] or {}).get("code") for line in lines] == [
        None, "UNSUPPORTED_FILE", "DOWNLOAD_FAILED", None,
    ]  # fmt: skip
    assert [line["pages"] for line in lines] == [1, 0, 0, 4]
    assert all(set(line) == {"input", "output", "error", "pages", "seconds"} for line in lines)
    assert (tmp_path / "out" / "report.md").read_text().startswith("# Jahresbericht des Vereinsarchivs")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.md", "slides.md"]


def test_pictures_come_into_a_folder_of_the_documents_name(tmp_path: Path) -> None:
    done = secretary("convert", SAMPLES / "slides.pdf", "--out", tmp_path, "--images")

    assert done.returncode == 0
    assert len(list((tmp_path / "slides").rglob("*.jpg"))) == 4


def test_inputs_of_the_same_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    other = tmp_path / "REPORT.pdf"
    other.write_bytes((SAMPLES / "slides.pdf").read_bytes())

    secretary("convert", SAMPLES / "report.pdf", other, "--out", tmp_path / "out")

    assert len({path.name.lower() for path in (tmp_path / "out").glob("*.md")}) == 2


def test_the_doctor_says_what_is_there(tmp_path: Path) -> None:
    done = secretary("doctor")

    assert done.returncode == 0
    assert "mongod" in done.stdout
    assert "ffmpeg" in done.stdout
