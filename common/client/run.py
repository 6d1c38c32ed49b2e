"""`secretary run`: the same work through the service, with live progress."""

from __future__ import annotations

import contextlib
import http.server
import threading
import time
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from common.client.api import Api, ServiceError
from common.client.kind import job_type_for
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
        with bars(show=show_bars) as progress:
            return [_one(Api(url), path, out, include_images, progress) for path in inputs]
    finally:
        if running is None:
            stop_stack(home)


@contextlib.contextmanager
def bars(*, show: bool) -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
               TimeRemainingColumn(), TextColumn("{task.fields[step]}"))  # fmt: skip
    with Progress(*columns, disable=not show) as progress:
        yield progress


def _one(api: Api, path: Path, out: Path, include_images: bool, progress: Progress) -> dict[str, Any]:
    began = time.monotonic()
    task = progress.add_task(path.name, total=100, step="")
    with served(path) as url:
        try:
            kind = job_type_for(path)
            pictures = {"include_images": True} if include_images and kind != "imageocr" else {}
            parameters = {"url": url, **pictures}
            job = api.submit({"job_type": kind, "job_name": path.name[:200], "parameters": parameters})
            job = api.watch(job["job_id"], partial(show_progress, progress, task))
            output = fetch_archive(api, job, out) if job["status"] == "completed" else None
            error = job["error"]
        except ServiceError as failure:
            output, error, job = None, {"code": failure.error_code, "message": failure.message}, {}
        except SecretaryError as failure:
            output, error, job = None, failure.as_dict(), {}
    pages = len((job.get("results") or {}).get("page_texts", ()))
    shown = {"code": error["code"], "message": error["message"]} if error else None
    return {
        "input": str(path), "output": str(output) if output else None, "error": shown, "pages": pages,
        "seconds": round(time.monotonic() - began, 3),
    }  # fmt: skip


def show_progress(progress: Progress, task: Any, job: dict[str, Any]) -> None:
    now = job["progress"] or {}
    progress.update(task, completed=now.get("percent", 0), step=f"{job['status']} {now.get('step', '')}")


def fetch_archive(api: Api, job: dict[str, Any], out: Path) -> Path:
    """The archive, unpacked into a folder of its name."""
    name = job["results"]["archive_filename"]
    folder = out / safe_name(Path(name).stem, fallback="document")
    archive = out / safe_name(name)
    api.download(job["results"]["archive_url"], archive)
    with zipfile.ZipFile(archive) as content:
        content.extractall(folder)  # our own archive, whose names the vault has checked
    return folder


@contextlib.contextmanager
def served(path: Path) -> Iterator[str]:
    """One file on a loopback port, for the service to fetch."""
    handler = partial(_OneFile, file=path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/{safe_name(path.name)}"
    finally:
        server.shutdown()
        server.server_close()


class _OneFile(http.server.BaseHTTPRequestHandler):
    def __init__(self, *arguments: Any, file: Path) -> None:
        self._file = file
        super().__init__(*arguments)

    def do_GET(self) -> None:
        if not self._file.is_file():
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(self._file.stat().st_size))
        self.end_headers()
        with self._file.open("rb") as file:
            while chunk := file.read(1024 * 1024):
                self.wfile.write(chunk)

    def log_message(self, *_: Any) -> None:
        return
