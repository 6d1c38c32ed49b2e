"""Function process: runs the jobs of one queue event and answers which messages must come again."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def process(request: flask.Request) -> flask.Response:
    from functions.process.routes import router  # the port is open first; a probe loads it

    return router(request)
