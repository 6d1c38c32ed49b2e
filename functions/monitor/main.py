"""Function monitor: the dashboard, is it alive, is it ready."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def monitor(request: flask.Request) -> flask.Response:
    from functions.monitor.routes import router  # the port is open first; a probe loads it

    return router(request)
