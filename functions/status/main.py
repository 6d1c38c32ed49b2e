"""Function status: one job or batch, lists, logs, and waiting for a change."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def status(request: flask.Request) -> flask.Response:
    from functions.status.routes import router  # the port is open first; a probe loads it

    return router(request)
