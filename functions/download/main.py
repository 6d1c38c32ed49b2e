"""Function download: archives and files as signed URLs, page texts as they are."""

from __future__ import annotations

import flask
import functions_framework


@functions_framework.http
def download(request: flask.Request) -> flask.Response:
    from functions.download.routes import router  # the port is open first; a probe loads it

    return router(request)
