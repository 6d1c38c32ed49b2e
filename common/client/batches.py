"""`secretary batch`, `import`, `templates` and `stats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress, TaskID

from common.client.calls import given
from common.client.service import (
    DEFAULT_HOME,
    FAILED,
    AsJson,
    Home,
    Output,
    Seconds,
    Url,
    bars,
    duration,
    line,
    moving,
    service,
    show_json,
    show_rows,
)  # fmt: skip
from common.client.words import say

app = typer.Typer()
batch = typer.Typer(no_args_is_help=True, help="Many jobs at once.")
app.add_typer(batch, name="batch")
BatchId = Annotated[str, typer.Argument(help="The id that `batch create` or `import` printed.")]


@batch.command("create")
def create(
    file: Annotated[Path, typer.Argument(exists=True, help='JSON: {"jobs": [{"job_type": …}, …]}')],
    name: Annotated[str | None, typer.Option(help="What the batch is called.")] = None,
    as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """Hand in all jobs of a file; all of them or none.

    Example: secretary batch create talks.json --name "Open Archive Days"
    """
    try:
        body = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise typer.BadParameter(say("not_json", file=file, error=error)) from None
    options = {"jobs": body} if isinstance(body, list) else body
    if not isinstance(options, dict) or not isinstance(options.get("jobs"), list):
        raise typer.BadParameter(say("not_jobs", file=file))
    jobs = options.pop("jobs")
    with service(url, home) as secretary:
        made = secretary.create_batch(jobs, **(options | given({"batch_name": name})))
    show_json(made) if as_json else line(made["batch_id"])


@batch.command("watch")
def watch(
    batch_id: BatchId, as_json: AsJson = False, timeout: Seconds = None, url: Url = None,
    home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """Follow a batch until it is finished; exit code 1 if any member failed.

    Example: secretary batch watch batch-1 --timeout 3600
    """
    with service(url, home) as secretary, bars(show=not as_json) as progress:
        task = progress.add_task(batch_id, total=100, step="")
        done = secretary.wait_for_batch(
            batch_id, seen=lambda now: _move(progress, task, now), seconds=timeout
        )
    counts = f"{done['completed_jobs']} {say('completed')}, {done['failed_jobs']} {say('failed')}"
    show_json(done) if as_json else line(f"{batch_id} {say(done['status'])} ({counts})")
    if done["status"] != "completed":
        raise typer.Exit(FAILED)


def _move(progress: Progress, task: TaskID, now: dict[str, Any]) -> None:
    over = now["completed_jobs"] + now["failed_jobs"] + now.get("cancelled_jobs", 0)
    total = max(1, now["total_jobs"])
    progress.update(task, completed=100 * over / total, step=f"{over}/{now['total_jobs']}")


@batch.command("retry")
def retry(batch_id: BatchId, as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME) -> None:
    """Run the failed members again.

    Example: secretary batch retry batch-1
    """
    with service(url, home) as secretary:
        now = secretary.retry_failed(batch_id)
    show_json(now) if as_json else line(f"{batch_id} {say(now['status'])}")


@batch.command("download")
def download(
    batch_id: BatchId,
    out: Output = Path(),
    as_json: AsJson = False,
    url: Url = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Fetch the vault of a whole batch; waits until it is built.

    Example: secretary batch download batch-1 --out vaults
    """
    out.mkdir(parents=True, exist_ok=True)
    with service(url, home) as secretary, bars(show=not as_json) as progress:
        target = secretary.download_batch_archive(batch_id, out, moved=moving(progress, batch_id))
    show_json({"batch_id": batch_id, "file": str(target)}) if as_json else line(str(target))


@app.command("import")
def import_schedule(
    schedule: Annotated[str, typer.Argument(help="Address or file: Pentabarf XML, frab or pretalx JSON.")],
    track: Annotated[str | None, typer.Option(help="Only this track.")] = None,
    room: Annotated[str | None, typer.Option(help="Only this room.")] = None,
    day: Annotated[str | None, typer.Option(help="Only this day, such as 2026-02-01.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be imported.")] = False,
    target_language: Annotated[str | None, typer.Option(help="de, en, fr, es or it")] = None,
    as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME,
) -> None:  # fmt: skip
    """A whole event as one batch of sessions.

    Example: secretary import https://example.org/schedule.xml --track Python --dry-run
    """
    filters: dict[str, Any] = given({"track": track, "room": room, "day": day, "limit": limit})
    if target_language:
        filters["parameters"] = {"target_language": target_language}
    with service(url, home) as secretary:
        if "://" not in schedule and not Path(schedule).is_file():
            raise typer.BadParameter(say("no_file", path=schedule))
        source = {"url": schedule} if "://" in schedule else {"upload_id": secretary.upload(Path(schedule))}
        found = secretary.import_schedule(**source, **filters, dry_run=dry_run)
    if as_json:
        show_json(found)
    elif dry_run:
        parameters = [job["parameters"] for job in found["jobs"]]
        show_rows(
            ["name", "track", "day"],
            [[one["session"], one["track"], one.get("day", "")] for one in parameters],
        )
    else:
        line(found["batch_id"])


@app.command()
def templates(as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME) -> None:
    """The templates that a job can be written with.

    Example: secretary templates --json
    """
    with service(url, home) as secretary:
        found = secretary.templates()
    if as_json:
        for template in found:
            show_json(template)
        return
    show_rows(["name", "language"], [[one["name"], ", ".join(_languages(one))] for one in found])


def _languages(template: dict[str, Any]) -> list[str]:
    return [one["language"] for one in template["languages"] if one["language"]]


@app.command()
def stats(as_json: AsJson = False, url: Url = None, home: Home = DEFAULT_HOME) -> None:
    """What the service has done and has still to do.

    Example: secretary stats --json
    """
    with service(url, home) as secretary:
        found = secretary.statistics()
    if as_json:
        show_json(found)
        return
    states = ("pending", "processing", "completed", "failed", "cancelled")
    rows = [[one["job_type"], *(str(one[state]) for state in states), _median(one)] for one in found["types"]]
    show_rows(["type", *states, "median"], rows)
    if found["success_rate"] is not None:
        line(say("success_rate", percent=f"{100 * found['success_rate']:.1f}"))
    queue = found["queue"]
    if queue["depth"]:
        line(say("queue", depth=queue["depth"], age=duration(queue["oldest_seconds"] or 0)))


def _median(kind: dict[str, Any]) -> str:
    return "" if kind["median_seconds"] is None else f"{kind['median_seconds']:.1f} s"
