"""Function session: a small session in one call."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def session(request: flask.Request) -> flask.Response:
    from functions.session.routes import router  # the port is open first; a probe loads it

    return router(request)
