"""The `secretary` command. Each command is thin: it parses, calls one thing, shows the answer."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.main

from common.client import batches, keys, migrate, work
from common.client.answers import ServiceError, ServiceUnreachable, WaitTimeout
from common.client.help import in_the_users_language
from common.client.service import DEFAULT_HOME, FAILED, TIMED_OUT, UNREACHABLE, AsJson, Home, line, show_json
from common.client.words import say
from common.errors import SecretaryError
from common.settings import settings

DEFAULT_PORT = 8000
EXIT_CODES = ((ServiceUnreachable, UNREACHABLE), (WaitTimeout, TIMED_OUT))
app = typer.Typer(
    name="secretary", no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False,
    help="Documents and conference sessions in; Markdown, pictures and an Obsidian vault out.",
)  # fmt: skip
app.add_typer(work.app)
app.add_typer(batches.app)
app.add_typer(keys.app, name="keys")
app.command()(migrate.migrate)

Port = Annotated[
    int,
    typer.Option(envvar="SECRETARY_PORT", min=1, max=65535, help="The port of the API and the dashboard."),
]
Workers = Annotated[int, typer.Option(min=0, max=64, help="How many worker processes to start.")]
Inputs = Annotated[list[Path], typer.Argument(help="Documents: PDF, Office, pictures.")]
Images = Annotated[bool, typer.Option("--images", help="Also write a picture of every page.")]


@app.command()
def up(
    home: Home = DEFAULT_HOME, port: Port = DEFAULT_PORT, workers: Workers = 1,
    detach: Annotated[bool, typer.Option(help="Return when it is ready and leave it running.")] = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Start the whole service on this machine.

    Example: secretary up --port 8000 --workers 2 --detach
    """
    from infra.local.detach import start_detached
    from infra.local.stack import Stack

    def ready(text: str) -> None:
        url = text.removeprefix("ready ")
        if as_json:
            show_json({"url": url, "dashboard": f"{url}/monitoring/events"})
            return
        line(f"ready {url}")
        line(say("dashboard", url=url))

    if detach:
        ready(start_detached(home, port=port, workers=workers))
        return
    Stack(home.resolve(), port=port, workers=workers, environment=os.environ, say=ready).run()


@app.command()
def down(home: Home = DEFAULT_HOME, as_json: AsJson = False) -> None:
    """Stop what `up` started in this home.

    Example: secretary down
    """
    from infra.local.stack import stop_stack

    ran = stop_stack(home.resolve())
    if as_json:
        show_json({"home": str(home), "stopped": ran})
    else:
        line(say("stopped") if ran else say("not_running", home=home))


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Say what is there, what is missing, and how to get it.

    Example: secretary doctor
    """
    from infra.local.doctor import examine

    findings = examine()
    for finding in findings:
        if as_json:
            show_json(asdict(finding))
            continue
        mark = say("found" if finding.found else "missing" if finding.required else "optional")
        line(f"{mark:8} {finding.name}: {finding.found or finding.how_to_get}")
    raise typer.Exit(1 if any(item.required and not item.found for item in findings) else 0)


@app.command()
def convert(
    inputs: Inputs, out: Annotated[Path, typer.Option(help="Where the Markdown goes.")] = Path("out"),
    as_json: AsJson = False, images: Images = False,
    method: Annotated[str | None, typer.Option(help="native, auto, ocr, both, preview, llm …")] = None,
    language: Annotated[str | None, typer.Option(help="Of the text, such as de; helps OCR.")] = None,
) -> None:  # fmt: skip
    """Convert files here and now, with no service.

    Example: secretary convert report.pdf scan.tiff talk.pptx --out notes --json
    """
    from common.client.convert import convert as convert_one
    from common.client.convert import output_names

    out.mkdir(parents=True, exist_ok=True)
    failed = False
    for path, name in zip(inputs, output_names(inputs), strict=True):
        done = convert_one(path, name, out, _given(images, method, language), settings())
        failed = failed or done.error is not None
        for warning in done.warnings:
            typer.echo(f"{path.name}: {warning}", err=True)
        _show(done.as_line(), as_json=as_json)
    raise typer.Exit(1 if failed else 0)


@app.command()
def run(
    inputs: Inputs, out: Annotated[Path, typer.Option(help="Where the archives are unpacked.")] = Path("out"),
    home: Home = DEFAULT_HOME, as_json: AsJson = False, images: Images = False,
) -> None:  # fmt: skip
    """Convert files through the service; starts it if none runs.

    Example: secretary run slides.pdf --out notes
    """
    from common.client.run import run_through_service

    results = run_through_service(
        inputs, out=out, home=home.resolve(), include_images=images, show_bars=not as_json
    )
    for result in results:
        _show(result, as_json=as_json)
    raise typer.Exit(1 if any(result["error"] for result in results) else 0)


def _given(images: bool, method: str | None, language: str | None) -> dict[str, Any]:
    """Only what was asked for: not every job type knows every parameter."""
    options = {"include_images": images, "extraction_method": method, "language": language}
    return {name: value for name, value in options.items() if value}


def _show(result: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(result)
    elif result["error"]:
        error = result["error"]
        typer.echo(
            say("input_failed", input=result["input"], code=error["code"], message=error["message"]), err=True
        )
    else:
        line(say("input_done", input=result["input"], output=result["output"], pages=result["pages"]))


def main() -> None:
    """Errors that a user can be told about end with their message and code 1, not with a trace."""
    try:
        in_the_users_language(typer.main.get_command(app))(prog_name="secretary")
    except SecretaryError as error:
        typer.echo(say("error", message=_message(error)), err=True)
        sys.exit(next((code for kind, code in EXIT_CODES if isinstance(error, kind)), FAILED))


def _message(error: SecretaryError) -> str:
    if isinstance(error, ServiceUnreachable):
        return say("unreachable", url=error.url)
    if isinstance(error, WaitTimeout):
        return say("not_in_time", seconds=error.seconds)
    title = error.title if isinstance(error, ServiceError) else None
    return f"{title}: {error.message}" if title else error.message


if __name__ == "__main__":
    main()
