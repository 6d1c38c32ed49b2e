"""What the Lambda Web Adapter does with an event that is no HTTP request, as a handler for awslambdaric.

It is POSTed to the function's server; the answer's body counts, unless its status is listed as an error.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from typing import Any

START_SECONDS = 30.0


def is_error(status: int, listed: str) -> bool:
    """`listed` as in AWS_LWA_ERROR_STATUS_CODES: "400-599" or "500,502"."""
    for part in filter(None, listed.split(",")):
        first, _, last = part.partition("-")
        if int(first) <= status <= int(last or first):
            return True
    return False


def handler(event: dict[str, Any], context: Any) -> Any:
    """The text of an error page is no JSON: as the adapter hands it on, it names no failed message."""
    port, path = os.environ["AWS_LWA_PORT"], os.environ["AWS_LWA_PASS_THROUGH_PATH"]
    status, body = _post(f"http://127.0.0.1:{port}{path}", json.dumps(event).encode())
    if is_error(status, os.environ.get("AWS_LWA_ERROR_STATUS_CODES", "")):
        raise RuntimeError(f"the function answered with {status}")
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")


def _post(url: str, body: bytes) -> tuple[int, bytes]:
    """Waits for a server that is still starting; one that dies during the request is an error."""
    deadline = time.monotonic() + START_SECONDS
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - loopback
    while True:
        try:
            with urllib.request.urlopen(request) as answer:  # noqa: S310
                return int(answer.status), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError) or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
