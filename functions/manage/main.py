"""Function manage: change, cancel, restart, pause, archive and delete."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def manage(request: flask.Request) -> flask.Response:
    from functions.manage.routes import router  # the port is open first; a probe loads it

    return router(request)
