"""`python -m tests.bench.bare PORT`: a bare function in the server that our gateway runs in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from functions_framework import create_app

from common.settings import settings
from infra.local.gateway import _Server

HELLO = Path(__file__).parent / "hello" / "main.py"


class BareServer(_Server):
    def load(self) -> Any:
        return create_app("hello", str(HELLO))  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    BareServer(port=int(sys.argv[1]), options=settings().http).run()
