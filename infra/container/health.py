"""Exit code 0 when the server of this container answers; any answer of a function counts, except a fault."""

from __future__ import annotations

import http.client
import os
import sys

SECONDS = 4


def main() -> None:
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("PORT", "8080")), timeout=SECONDS)
    try:
        connection.request("GET", "/")
        status = connection.getresponse().status
    except OSError as error:
        sys.exit(f"No answer: {error}.")
    sys.exit(f"Answered with {status}." if status >= 500 else 0)


if __name__ == "__main__":
    main()
