"""`secretary run`: the same work through the service, with live progress."""

from __future__ import annotations

import time
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress

from common.client.answers import ServiceError
from common.client.kind import job_type_for
from common.client.secretary import Secretary
from common.client.service import bars, show_progress
from common.errors import SecretaryError
from common.names import safe_name


def run_through_service(
    inputs: list[Path], *, out: Path, home: Path, include_images: bool, show_bars: bool
) -> list[dict[str, Any]]:
    """One result per input; a stack that had to be started is stopped again."""
    from infra.local.detach import start_detached
    from infra.local.ports import free_ports
    from infra.local.stack import running_stack, stop_stack

    out.mkdir(parents=True, exist_ok=True)
    running = running_stack(home)
    url = running["url"] if running else start_detached(home, port=free_ports(1)[0])
    try:
        with Secretary(url) as secretary, bars(show=show_bars) as progress:
            return [_one(secretary, path, out, include_images, progress) for path in inputs]
    finally:
        if running is None:
            stop_stack(home)


def _one(
    secretary: Secretary, path: Path, out: Path, include_images: bool, progress: Progress
) -> dict[str, Any]:
    began = time.monotonic()
    task = progress.add_task(path.name, total=100, step="")
    output: Path | None = None
    job: dict[str, Any] = {}
    try:
        kind = job_type_for(path)
        pictures = {"include_images": True} if include_images and kind != "imageocr" else {}
        parameters = {"upload_id": secretary.upload(path), **pictures}
        job = secretary.create_job(kind, parameters, job_name=path.name[:200])
        job = secretary.wait(job["job_id"], seen=partial(show_progress, progress, task))
        output = fetch_archive(secretary, job, out) if job["status"] == "completed" else None
        error = job["error"]
    except OSError as failure:
        error = {"code": "DOWNLOAD_FAILED", "message": f"{path}: {failure.strerror}"}
    except ServiceError as failure:
        error = {"code": failure.error_code, "message": failure.message}
    except SecretaryError as failure:
        error = failure.as_dict()
    return {
        "input": str(path), "output": str(output) if output else None,
        "error": {"code": error["code"], "message": error["message"]} if error else None,
        "pages": len((job.get("results") or {}).get("page_texts", ())),
        "seconds": round(time.monotonic() - began, 3),
    }  # fmt: skip


def fetch_archive(secretary: Secretary, job: dict[str, Any], out: Path) -> Path:
    """The archive, unpacked into a folder of its name."""
    name = job["results"]["archive_filename"]
    folder = out / safe_name(Path(name).stem, fallback="document")
    archive = secretary.download_archive(job["job_id"], out / safe_name(name))
    with zipfile.ZipFile(archive) as content:
        content.extractall(folder)  # our own archive, whose names the vault has checked
    return folder
