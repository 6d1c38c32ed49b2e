"""The reference pages name what the code has: every error, every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer.main

from common import errors
from common.client.command import app
from functions.monitor.reference import PAGE, routes_page

DOCS = Path(__file__).parents[3] / "docs"


def kinds(base: type[errors.SecretaryError]) -> Iterator[type[errors.SecretaryError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_error_is_on_its_page_with_its_status() -> None:
    page = (DOCS / "reference" / "errors.md").read_text("utf-8")
    told = {
        code: set(statuses.split(" or "))
        for code, statuses in re.findall(r"^\| `(\w+)` \|[^|]*\|[^|]*\| ([^|]+) \|", page, re.MULTILINE)
    }

    known: dict[str, set[str]] = {}
    for kind in kinds(errors.SecretaryError):
        if kind.__module__ == "common.errors":
            known.setdefault(kind.code, set()).add(str(kind.http_status))
    assert told == known


def test_the_page_of_routes_is_that_of_the_specification() -> None:
    assert PAGE.read_text("utf-8") == routes_page(), "run python -m functions.monitor.reference"


def test_every_command_is_on_its_page() -> None:
    page = (DOCS / "reference" / "commands.md").read_text("utf-8")
    told = set(re.findall(r"`([a-z]+(?: [a-z]+)?)`", page))

    group = typer.main.get_group(app)
    known = set()
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        known |= {f"{name} {one}" for one in inner} if inner else {name}
    assert known <= told
