"""One function on one port, served by functions-framework as its own command does it."""

from __future__ import annotations

import os
import sys

from infra.local.template import function_source


def main() -> None:
    """Replaces this process, so that signals reach the server."""
    name = sys.argv[1]
    source = function_source(name)
    if not source.is_file():
        known = ", ".join(sorted(folder.parent.name for folder in source.parents[1].glob("*/main.py")))
        sys.exit(f"Expected FUNCTION_TARGET to be one of {known}, found {name!r}.")
    program = "functions-framework"
    os.execlp(program, program, "--target", name, "--source", str(source))  # noqa: S606


if __name__ == "__main__":
    main()
