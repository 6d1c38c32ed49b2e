"""`secretary keys`: API keys straight from the database, because the first one opens no door yet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from common.access import Caller
from common.client.service import DEFAULT_HOME, AsJson, Home, line, show_json, show_rows
from common.client.words import say
from common.errors import Unavailable
from common.services import Services

app = typer.Typer(no_args_is_help=True, help="API keys, for the access mode api_key.")

# Whoever can open the database needs nobody's leave.
OPERATOR = Caller(user_id="operator", is_admin=True)


@app.command()
def create(
    user: Annotated[str, typer.Argument(help="Whom the key speaks for.")],
    home: Home = DEFAULT_HOME,
    name: Annotated[str | None, typer.Option(help="What the key is for.")] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group of that user; may be repeated.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="May see and change everything.")] = False,
    act_for_others: Annotated[
        bool, typer.Option("--act-for-others", help="May submit work that belongs to others.")
    ] = False,
    days: Annotated[int | None, typer.Option(min=1, help="Expires after so many days.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key. It is shown now and never again.

    Example: secretary keys create anna --admin --home data
    """
    from common.keys.manage import create_key, key_view

    with open_services(home) as services:
        body = {
            "user_id": user,
            "name": name,
            "groups": group or [],
            "is_admin": admin,
            "rights": ["act_for_others"] if act_for_others else [],
            "expires_at": services.clock() + timedelta(days=days) if days else None,
        }
        made, stored = create_key(services, OPERATOR, body)
    show_json(key_view(stored) | {"key": made.text}) if as_json else line(made.text)


@app.command("list")
def listing(home: Home = DEFAULT_HOME, as_json: AsJson = False) -> None:
    """All keys, newest first; never the key itself.

    Example: secretary keys list --json
    """
    from common.keys.manage import key_view, list_keys

    with open_services(home) as services:
        keys = [key_view(key) for key in list_keys(services, OPERATOR)]
    if as_json:
        for key in keys:
            show_json(key)
        return
    columns = ["key_id", "user_id", "name", "created_at", "revoked_at"]
    show_rows(columns, [[str(key.get(column) or "") for column in columns] for key in keys])


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="As `keys list` shows it.")],
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Make a key useless from now on.

    Example: secretary keys revoke key-1
    """
    from common.keys.manage import revoke_key

    with open_services(home) as services:
        revoke_key(services, OPERATOR, key_id)
    show_json({"key_id": key_id, "revoked": True}) if as_json else line(say("key_revoked", key_id=key_id))


@contextmanager
def open_services(home: Path) -> Iterator[Services]:
    """Those of MONGODB_URI, else of the embedded stack in this home."""
    from common.jobs.database import OUTAGES
    from common.services import build
    from common.settings import load_settings
    from infra.local.stack import mongodb_uri

    environment = dict(os.environ)
    environment.setdefault("MONGODB_URI", mongodb_uri(home.resolve()) or "")
    services = build(load_settings(environment))
    try:
        yield services
    except OUTAGES:
        raise Unavailable(say("no_database", home=home)) from None
    finally:
        services.database.client.close()
