from __future__ import annotations

import stat
from pathlib import Path

from infra.local.seaweed import credentials
from infra.local.whole_file import write_whole


def test_a_file_is_replaced_as_a_whole_and_private(tmp_path: Path) -> None:
    file = tmp_path / "key"
    for text in ("a longer first text", "second"):
        write_whole(file, text)
        assert file.read_text() == text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_start_that_was_cut_off_leaves_no_empty_credentials(tmp_path: Path) -> None:
    (tmp_path / "s3.json.new").touch()
    made = credentials(tmp_path / "s3.json")
    assert made["secret_access_key"]
    assert credentials(tmp_path / "s3.json") == made
