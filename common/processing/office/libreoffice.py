"""Runs LibreOffice on one file: its own profile, no network, no macros, a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from common import media_type
from common.errors import ProcessingTimeout, UnsupportedFile

CONVERT_SECONDS = 180.0
PROGRAMS = ("soffice", "libreoffice")
PRESENTATIONS = (media_type.PPTX, media_type.PPT, media_type.ODP)
# Hidden slides too, so that the pages of the PDF are the slides of the presentation.
SLIDES_AS_PDF = 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}'
# LibreOffice chooses its reader by extension: it is given the true one, whatever the file was named.
_EXTENSIONS = {
    media_type.DOCX: "docx",
    media_type.PPTX: "pptx",
    media_type.XLSX: "xlsx",
    media_type.ODT: "odt",
    media_type.ODP: "odp",
    media_type.ODS: "ods",
    media_type.DOC: "doc",
    media_type.PPT: "ppt",
    media_type.XLS: "xls",
    media_type.RTF: "rtf",
}
# A document may link to pictures and sections by URL or path: they are blocked as coming from an
# untrusted place, and what still asks for the network is sent to a proxy that does not exist.
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
{items}
</oor:items>
"""
_SETTING = (
    '<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
)
_LOCKED_DOWN = (
    ("/org.openoffice.Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("/org.openoffice.Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("/org.openoffice.Inet/Settings", "ooInetProxyType", "2"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPProxyPort", "9"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"),
    ("/org.openoffice.Inet/Settings", "ooInetHTTPSProxyPort", "9"),
)


def program() -> str | None:
    """Where LibreOffice is, if it is installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def convert(path: Path, target_folder: Path, *, kind: str, extension: str, timeout_seconds: float) -> Path:
    """The converted file in the target folder, named after the source."""
    found = program()
    if found is None:
        raise UnsupportedFile(
            f"{path.name!r} ({kind}) must be converted by LibreOffice, which is not installed here. "
            "On Debian: libreoffice-impress, libreoffice-writer, libreoffice-calc.",
            details={"media_type": kind, "missing": "libreoffice"},
        )
    with tempfile.TemporaryDirectory(prefix="office-", dir=target_folder) as work:
        folder = Path(work)
        source = folder / f"document.{_EXTENSIONS[kind]}"
        shutil.copyfile(path, source)
        _write_profile(folder / "profile")
        _run(_command(found, folder, source, kind, extension), folder, timeout_seconds)
        produced = folder / "out" / f"document.{extension}"
        if not produced.is_file() or produced.stat().st_size == 0:
            raise UnsupportedFile(f"LibreOffice could not convert {path.name!r}; the file may be damaged.")
        return Path(shutil.move(produced, target_folder / f"{path.stem}.{extension}"))


def _write_profile(profile: Path) -> None:
    items = "\n".join(
        _SETTING.format(path=path, name=name, value=value) for path, name, value in _LOCKED_DOWN
    )
    settings = profile / "user" / "registrymodifications.xcu"
    settings.parent.mkdir(parents=True)
    settings.write_text(_SETTINGS.format(items=items), encoding="utf-8")


def _command(found: str, folder: Path, source: Path, kind: str, extension: str) -> list[str]:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    options = ["--headless", "--norestore", "--nolockcheck", "--nodefault"]
    form = SLIDES_AS_PDF if extension == "pdf" and kind in PRESENTATIONS else extension
    return [found, profile, *options, "--convert-to", form, "--outdir", str(folder / "out"), str(source)]


def _run(command: list[str], folder: Path, timeout_seconds: float) -> None:
    """In our own process group: whoever ends a job with all it started ends this too."""
    environment = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.defpath, "LANG": "C.UTF-8"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        process.wait(timeout=timeout_seconds)
    except subprocess.TimeoutExpired as error:
        message = f"LibreOffice did not finish within {timeout_seconds:.0f} seconds."
        raise ProcessingTimeout(message) from error
    finally:
        _kill_tree(process)


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """What was started is only a launcher; the program itself is its child."""
    for pid in [*_descendants(process.pid), process.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:  # it has ended, or this system does not tell
        return []
    return children + [one for child in children for one in _descendants(child)]
