"""Function sweep: every minute, find what was lost."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def sweep(request: flask.Request) -> flask.Response:
    from functions.sweep.routes import router  # the port is open first; a probe loads it

    return router(request)
