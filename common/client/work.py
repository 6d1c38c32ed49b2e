"""Commands about single jobs: submit, watch, list, show, logs, download, cancel, restart."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from common.client.kind import job_type_by_name, job_type_for
from common.client.service import (
    DEFAULT_HOME,
    FAILED,
    AsJson,
    Home,
    Output,
    Seconds,
    Url,
    bars,
    job_name,
    line,
    moving,
    service,
    show_json,
    show_progress,
    show_rows,
)
from common.client.words import say

if TYPE_CHECKING:
    from common.client.secretary import Secretary

app = typer.Typer()
JobId = Annotated[str, typer.Argument(help="The id that `submit` printed.")]
Wait = Annotated[bool, typer.Option("--wait", help="Stay until it is finished.")]


@app.command()
def submit(
    sources: Annotated[list[str], typer.Argument(help="Files or addresses.")],
    job_type: Annotated[
        str | None, typer.Option("--type", help="pdf, office, imageocr, session …; else by the file.")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A parameter, as name=value.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be repeated.")] = None,
    priority: Annotated[int, typer.Option(min=0, max=9, help="0 to 9; higher goes first.")] = 1,
    wait: Wait = False, as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """Hand in files or addresses; prints one id per job.

    Example: secretary submit talk.pdf https://example.org/b.pdf --set extraction_method=ocr --wait
    """
    parameters = dict(map(parameter, set_ or []))
    kinds = [job_type or _kind(source) for source in sources]
    with service(url, home) as secretary:
        jobs = []
        for source, kind in zip(sources, kinds, strict=True):
            where = _hand_over(secretary, source, show_bars=not as_json)
            options = {"job_name": Path(source).name[:200] or None, "priority": priority, "tags": tag or []}
            jobs.append(secretary.create_job(kind, where | parameters, **options))
        if wait:
            jobs = follow(secretary, jobs, show_bars=not as_json)
    for job in jobs:
        show_json(job) if as_json else line(job["job_id"])
    _exit_with(jobs)


def _kind(source: str) -> str:
    """All are looked at before the first is sent: a wrong name hands in nothing."""
    if "://" not in source:
        return job_type_for(Path(source))
    return job_type_by_name(urlsplit(source).path) or "pdf"


def _hand_over(secretary: Secretary, source: str, *, show_bars: bool) -> dict[str, str]:
    if "://" in source:
        return {"url": source}
    with bars(show=show_bars) as progress:
        return {"upload_id": secretary.upload(Path(source), moved=moving(progress, Path(source).name))}


def parameter(text: str) -> tuple[str, Any]:
    """`name=value`; the value is JSON where it can be, else the text itself."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise typer.BadParameter(say("expected_pair", text=text))
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def follow(
    secretary: Secretary, jobs: list[dict[str, Any]], *, show_bars: bool, seconds: float | None = None
) -> list[dict[str, Any]]:
    with bars(show=show_bars) as progress:
        tasks = [progress.add_task(job_name(job), total=100, step="") for job in jobs]
        return [
            secretary.wait(job["job_id"], seen=partial(show_progress, progress, task), seconds=seconds)
            for job, task in zip(jobs, tasks, strict=True)
        ]


@app.command()
def watch(
    job_ids: Annotated[list[str], typer.Argument(help="Ids of jobs.")],
    as_json: AsJson = False, timeout: Seconds = None, url: Url = None, home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """Follow jobs until they are finished.

    Example: secretary watch job-1 job-2
    """
    with service(url, home) as secretary:
        jobs = [secretary.job(job_id) for job_id in job_ids]
        jobs = follow(secretary, jobs, show_bars=not as_json, seconds=timeout)
    for job in jobs:
        show_json(job) if as_json else line(f"{job['job_id']} {say(job['status'])}{reason(job)}")
    _exit_with(jobs)


def reason(job: dict[str, Any]) -> str:
    error = job.get("error")
    return f": {error['code']}: {error['message']}" if error else ""


@app.command("list")
def listing(
    status: Annotated[str | None, typer.Option(help="pending, processing, completed, failed …")] = None,
    job_type: Annotated[str | None, typer.Option("--type", help="Jobs of this type.")] = None,
    batch: Annotated[str | None, typer.Option(help="Members of this batch.")] = None,
    tag: Annotated[str | None, typer.Option(help="Jobs with this tag.")] = None,
    search: Annotated[str | None, typer.Option("--search", help="A word of the name.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """The latest jobs.

    Example: secretary list --status failed --json
    """
    filters = {"status": status, "job_type": job_type, "batch_id": batch, "tag": tag, "q": search}
    with service(url, home) as secretary:
        pages = secretary.jobs(**filters, limit=min(limit, 200))
        jobs = [job for _, job in zip(range(limit), pages, strict=False)]
    if as_json:
        for job in jobs:
            show_json(job)
        return
    rows = [
        [job["job_id"], say(job["status"]), job["job_type"], job_name(job), job["created_at"]] for job in jobs
    ]
    show_rows(["job", "status", "type", "name", "created"], rows)


@app.command()
def show(job_id: JobId, as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME) -> None:
    """One job: its state, its results, and its Markdown.

    Example: secretary show job-1
    """
    with service(url, home) as secretary:
        job = secretary.job(job_id)
    if as_json:
        show_json(job)
        return
    line(f"{job_name(job)} · {job['job_type']} · {say(job['status'])}{reason(job)}")
    line((job.get("results") or {}).get("markdown_content") or "")


@app.command()
def logs(job_id: JobId, as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME) -> None:
    """What happened to a job, line by line.

    Example: secretary logs job-1
    """
    with service(url, home) as secretary:
        lines = secretary.logs(job_id)
    for entry in lines:
        text = f"{entry['timestamp']} #{entry.get('attempt', 0)} {entry['level']}: {entry['message']}"
        show_json(entry) if as_json else line(text)


@app.command()
def download(
    job_id: JobId, out: Output = Path(), as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME
) -> None:
    """Fetch a job's ZIP.

    Example: secretary download job-1 --out archives
    """
    out.mkdir(parents=True, exist_ok=True)
    with service(url, home) as secretary, bars(show=not as_json) as progress:
        target = secretary.download_archive(job_id, out, moved=moving(progress, job_id))
    show_json({"job_id": job_id, "file": str(target)}) if as_json else line(str(target))


@app.command()
def cancel(job_id: JobId, as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME) -> None:
    """Stop a job, whether it waits or runs.

    Example: secretary cancel job-1
    """
    with service(url, home) as secretary:
        job = secretary.cancel(job_id)
    show_json(job) if as_json else line(f"{job_id} {say(job['status'])}")


@app.command()
def restart(
    job_id: JobId, fresh: Annotated[bool, typer.Option(help="Use no cached pages.")] = False,
    wait: Wait = False, as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """Run a finished job again.

    Example: secretary restart job-1 --fresh --wait
    """
    with service(url, home) as secretary:
        jobs = [secretary.restart(job_id, use_cache=not fresh)]
        if wait:
            jobs = follow(secretary, jobs, show_bars=not as_json)
    show_json(jobs[0]) if as_json else line(f"{job_id} {say(jobs[0]['status'])}")
    _exit_with(jobs)


def _exit_with(jobs: list[dict[str, Any]]) -> None:
    if any(job["status"] in ("failed", "cancelled") for job in jobs):
        raise typer.Exit(FAILED)
