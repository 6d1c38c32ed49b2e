"""LibreOffice is kept on a short leash: no network, no files beside its own, no endless work."""

from __future__ import annotations

import stat
import subprocess
import time
from pathlib import Path

import pytest

from common import media_type
from common.errors import ProcessingTimeout, UnsupportedFile
from common.processing.office import libreoffice
from common.processing.office.libreoffice import convert
from tests.unit.outbound.loopback import Exchange, Loopback
from tests.unit.processing.office.samples import needs_libreoffice, open_text


def fake_office(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "fake-office"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(libreoffice, "PROGRAMS", (str(program),))


def to_pdf(path: Path, folder: Path, *, seconds: float = 60) -> Path:
    return convert(path, folder, kind=media_type.ODT, extension="pdf", timeout_seconds=seconds)


@needs_libreoffice
def test_links_of_a_document_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("THE SECRET OF THE MACHINE")

    def answer(exchange: Exchange) -> None:
        exchange.reply(200, {"Content-Type": "image/png"}, b"")

    with Loopback({"/p.png": answer}) as server:
        body = (
            "<text:p>Words of its own.</text:p>"
            '<text:p><draw:frame svg:width="4cm" svg:height="3cm">'
            f'<draw:image xlink:href="{server.url("/p.png")}"/></draw:frame></text:p>'
            f'<text:section text:name="s"><text:section-source xlink:href="{secret.as_uri()}"/>'
            "<text:p>old</text:p></text:section>"
        )
        produced = to_pdf(open_text(tmp_path / "linked.odt", body), tmp_path)
        assert server.connections == 0
    import pypdf

    text = pypdf.PdfReader(produced).pages[0].extract_text()
    assert "Words of its own." in text
    assert "SECRET" not in text


def test_a_program_that_hangs_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "child"
    fake_office(tmp_path, f"sleep 600 & echo $! > {note}; wait", monkeypatch)
    with pytest.raises(ProcessingTimeout, match="did not finish within 1 seconds"):
        to_pdf(open_text(tmp_path / "a.odt", ""), tmp_path, seconds=1)
    assert has_ended(int(note.read_text()))


def test_a_program_that_makes_nothing_is_a_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_office(tmp_path, "exit 0", monkeypatch)
    with pytest.raises(UnsupportedFile, match="LibreOffice could not convert"):
        to_pdf(open_text(tmp_path / "a.odt", ""), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.odt", "fake-office"]


def has_ended(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
        if not state.strip() or state.startswith("Z"):
            return True
        time.sleep(0.05)
    return False
