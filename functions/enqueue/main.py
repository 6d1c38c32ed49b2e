"""Function enqueue: takes jobs and batches in and answers at once with their ids."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def enqueue(request: flask.Request) -> flask.Response:
    from functions.enqueue.routes import router  # the port is open first; a probe loads it

    return router(request)
