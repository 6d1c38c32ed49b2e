"""Which service the command line talks to, and how it shows what that says."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Table

from common.client.words import language, say

if TYPE_CHECKING:
    from common.client.secretary import Secretary

PIPE_WIDTH = 400  # characters of a line that no screen limits
DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_HOME = Path.home() / ".local" / "share" / "secretary"
# What scripts can tell apart. 0: done, 2: wrong usage (by typer).
FAILED, UNREACHABLE, TIMED_OUT = 1, 3, 4  # of a job or request; nobody answers; not finished in time

Home = Annotated[Path, typer.Option(envvar="SECRETARY_HOME", help="Where data, logs and credentials live.")]
Url = Annotated[str | None, typer.Option(envvar="SECRETARY_URL", help="The service; else the one in --home.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON line per result.")]
Seconds = Annotated[
    float | None, typer.Option("--timeout", help="Wait at most so many seconds (exit code 4).")
]
Output = Annotated[Path, typer.Option("--out", help="The folder for what is fetched.")]


@contextmanager
def service(url: str | None, home: Path = DEFAULT_HOME) -> Iterator[Secretary]:
    """The service named by --url or SECRETARY_URL, else the one in the home, else the usual port."""
    from common.client.secretary import Secretary
    from infra.local.stack import running_stack

    running = None if url else running_stack(home)
    address = url or (running["url"] if running else DEFAULT_URL)
    token = os.environ.get("SECRETARY_API_KEY")
    with Secretary(address, token=token, language=language()) as secretary:
        yield secretary


def line(text: str) -> None:
    typer.echo(text)
    sys.stdout.flush()


def show_json(value: Any) -> None:
    line(json.dumps(value, ensure_ascii=False, default=str))


def show_rows(columns: list[str], rows: list[list[str]]) -> None:
    """The first column is what the next command is called with, so it is never cut; pipes get all in full."""
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        longest = max((len(row[number]) for row in rows), default=0)
        table.add_column(say(column), no_wrap=True, min_width=None if number else longest)
    for row in rows:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    console.print(table, markup=False) if rows else line(say("nothing"))


@contextmanager
def bars(*, show: bool) -> Iterator[Progress]:
    """Live bars on standard error, so that standard output stays clean for scripts."""
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[step]}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), disable=not show) as progress:
        yield progress


def show_progress(progress: Progress, task: TaskID, job: dict[str, Any]) -> None:
    """Pages and time left are those that the service tells."""
    now = job.get("progress") or {}
    running = job["status"] == "processing"
    total = now.get("pages_total")
    pages = say("pages", done=now.get("pages_done", 0), total=total) if total else ""
    left = say("left", time=duration(now["eta_seconds"])) if running and now.get("eta_seconds") else ""
    parts = (say(job["status"]), (pages or now.get("message") or now.get("step")) if running else "", left)
    percent = 100 if job["status"] == "completed" else now.get("percent", 0)
    progress.update(task, completed=percent, step=" · ".join(part for part in parts if part))


def moving(progress: Progress, name: str) -> Callable[[int, int], None]:
    """A bar for bytes on their way."""
    task = progress.add_task(name, total=None, step="")
    return lambda done, total: progress.update(task, completed=done, total=total or None)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def job_name(job: dict[str, Any]) -> str:
    parameters = job.get("parameters") or {}
    return str(job.get("job_name") or parameters.get("session") or parameters.get("url") or job["job_id"])
