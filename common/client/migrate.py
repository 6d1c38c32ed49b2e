"""`secretary migrate`: brings a database up to date, and takes over that of the old service."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from common.client.keys import open_services
from common.client.service import DEFAULT_HOME, AsJson, Home, line, show_json
from common.client.words import say

FromOld = Annotated[
    str | None,
    typer.Option(
        "--from-old", metavar="DATABASE", help="Take over event_jobs and event_batches of this database."
    ),
]
Owner = Annotated[str, typer.Option(help="Who owns old jobs that name no user.")]


def migrate(
    home: Home = DEFAULT_HOME, from_old: FromOld = None, owner: Owner = "local", as_json: AsJson = False
) -> None:
    """Create the indexes and update the documents of this version; run it again at will.

    Example: secretary migrate --from-old event_processing
    """
    from common.migrations.old_service import import_old_service
    from common.migrations.run import migrate as bring_up_to_date

    with open_services(home) as services:
        _show("migrated", bring_up_to_date(services.database), as_json=as_json)
        if from_old:
            old = services.database.client.get_database(from_old, services.database.codec_options)
            taken = asdict(import_old_service(services, old, owner=owner))
            _show("imported", taken, as_json=as_json)


def _show(what: str, counts: dict[str, int], *, as_json: bool) -> None:
    told = ", ".join(f"{name} {count}" for name, count in counts.items())
    show_json({what: counts}) if as_json else line(f"{say(what)}: {told}")
