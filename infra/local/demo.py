"""`make demo`: a session and a PDF through the whole service, from this folder's samples to out/demo."""

from __future__ import annotations

import argparse
import http.server
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, TaskID

from common.client import Secretary
from common.client.run import fetch_archive
from common.client.service import bars, show_progress
from common.client.words import say
from infra.local.detach import start_detached
from infra.local.ports import free_ports
from infra.local.stack import stop_stack

SAMPLES = Path(__file__).parents[2] / "samples"
WORKERS = 2


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=Path("out/demo"))
    chosen = arguments.parse_args()
    home = chosen.out.with_name("demo-home").resolve()
    screen = Console(soft_wrap=True)
    with _served(SAMPLES) as site:
        screen.print(say("demo_starts", home=home))
        # The samples are served from loopback, which the guard refuses unless an operator allows it.
        environment = os.environ | {"SECRETARY_OUTBOUND__ALLOW_NETWORKS": "127.0.0.0/8"}
        url = start_detached(home, port=free_ports(1)[0], workers=WORKERS, environment=environment)
        try:
            with Secretary(url) as secretary:
                folders = _through_service(secretary, site, chosen.out)
        finally:
            stop_stack(home)
    for folder in folders:
        screen.print(say("demo_result", folder=folder))
    screen.print(say("demo_ends", home=home))


def _through_service(secretary: Secretary, site: str, out: Path) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    with bars(show=True) as progress:
        jobs = [secretary.create_job(**body) for body in _jobs(site)]
        tasks = [progress.add_task(job["job_name"], total=100, step="") for job in jobs]
        with ThreadPoolExecutor(len(jobs)) as pool:
            finished = list(pool.map(partial(_watch, secretary, progress), jobs, tasks))
    for job in finished:
        if job["status"] != "completed":
            raise SystemExit(f"{job['job_name']}: {job['error']['code']}: {job['error']['message']}")
    return [fetch_archive(secretary, job, out) for job in finished]


def _watch(secretary: Secretary, progress: Progress, job: dict[str, Any], task: TaskID) -> dict[str, Any]:
    return secretary.wait(job["job_id"], seen=partial(show_progress, progress, task))


def _jobs(site: str) -> list[dict[str, Any]]:
    session = {
        "event": "Open Archive Days 2026",
        "track": "Tools",
        "session": "Keeping the Minutes of a Thousand Talks",
        "filename": "keeping-the-minutes",
        "url": f"{site}/talk.html",
        "day": "2026-05-09",
        "starttime": "14:00",
        "endtime": "14:25",
        "speakers": ["Ada Beispiel"],
        "target_language": "en",
    }
    report = {"url": f"{site}/report.pdf", "include_images": True}
    return [
        {"job_type": "session", "job_name": "session", "parameters": session},
        {"job_type": "pdf", "job_name": "report.pdf", "parameters": report},
    ]


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The samples as a small web site on a free loopback port."""
    handler = partial(_QuietHandler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


if __name__ == "__main__":
    main()
