"""Function notify: delivers the webhooks of one queue event."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def notify(request: flask.Request) -> flask.Response:
    from functions.notify.routes import router  # the port is open first; a probe loads it

    return router(request)
