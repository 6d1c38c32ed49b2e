"""Every error that a user can meet has a title in every language."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import common
from common.errors import SecretaryError
from common.http.titles import LANGUAGES, TITLES

NEVER_ANSWERED = ("common.client", "common.migrations")  # errors of commands, which no route raises


def codes(kind: type[SecretaryError] = SecretaryError) -> Iterator[str]:
    if not kind.__module__.startswith(NEVER_ANSWERED):
        yield kind.code
    for child in kind.__subclasses__():
        yield from codes(child)


def test_every_code_has_a_title_in_every_language() -> None:
    for module in pkgutil.walk_packages(common.__path__, "common."):
        if module.name.startswith(("common.jobs", "common.keys", "common.webhooks", "common.uploads")):
            import_module(module.name)
    assert set(codes()) <= set(TITLES)
    assert all(set(titles) == set(LANGUAGES) and all(titles.values()) for titles in TITLES.values())
