"""Every command has an example, `--json`, and a German help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from common.client.command import app
from common.client.help import GERMAN
from common.client.words import WORDS, language, say

GROUP = typer.main.get_command(app)


def commands(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield " ".join((*names, name)), command


COMMANDS = dict(commands(GROUP))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_shows_an_example_of_itself_and_speaks_json(name: str) -> None:
    command = COMMANDS[name]

    assert f"Example: secretary {name}" in command.help
    assert "--json" in [option for parameter in command.params for option in parameter.opts]


def test_every_help_text_has_its_german() -> None:
    parts = [GROUP, *GROUP.commands.values(), *COMMANDS.values()]  # type: ignore[attr-defined]
    texts = [part.help for part in parts] + [
        parameter.help for part in parts for parameter in part.params if getattr(parameter, "help", None)
    ]
    lacking = {text.partition("\n\n")[0].strip() for text in texts} - GERMAN.keys()

    assert lacking == set()
    assert all(getattr(parameter, "help", None) for part in parts for parameter in part.params)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("LANG", "de_AT.UTF-8", "de"), ("LC_ALL", "de_DE", "de"), ("LANG", "C.UTF-8", "en"), ("LANG", "", "en")],
)
def test_the_locale_chooses_the_language(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    for variable in ("SECRETARY_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(name, value)

    assert language() == expected
    assert say("failed") == WORDS["failed"][1 if expected == "de" else 0]
