"""The specification and the page that shows it. Nothing comes from elsewhere: one answer, strict policy."""

from __future__ import annotations

import base64
import hashlib
import importlib
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from common.http.message import Answer, Request
from common.http.openapi import specification
from common.http.operation import Operation
from common.http.router import Route, Router

TAG = "Watching it"
PAGE = Path(__file__).parent / "docs"
HTTP_FUNCTIONS = ("enqueue", "status", "manage", "download", "session", "monitor")
CACHED = {"Cache-Control": "public, max-age=300"}

router = Router("monitor")


@router.route(
    "GET",
    "/api/openapi.json",
    operation=Operation(
        summary="This specification", tag=TAG, media_type="application/json", is_bare=True,
        schema_of_answer={"type": "object", "required": ["openapi", "paths"]},
    ),
)  # fmt: skip
def openapi(request: Request) -> Answer:
    return Answer(bare=_specification(request.services.settings.access.mode), headers=CACHED)


@router.route(
    "GET", "/docs", operation=Operation(summary="The same as a page", tag=TAG, media_type="text/html")
)
def docs(request: Request) -> Answer:
    page, policy = _page()
    headers = CACHED | {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
    return Answer(content=page, media_type="text/html; charset=utf-8", headers=headers)


@lru_cache(maxsize=4)
def _specification(mode: str) -> dict[str, Any]:
    return specification(all_routes(), mode=mode, version=version("secretary"))


def all_routes() -> list[Route]:
    """Of all HTTP functions. Only this route loads them: the image holds them all, a function needs one."""
    routers = [importlib.import_module(f"functions.{name}.routes").router for name in HTTP_FUNCTIONS]
    return [route for found in routers for route in found.routes]


@lru_cache(maxsize=1)
def _page() -> tuple[bytes, str]:
    """Script and style stand in the page, allowed by their hashes: nothing else can run in it."""
    script, style = ((PAGE / name).read_text("utf-8") for name in ("script.js", "style.css"))
    html = (PAGE / "index.html").read_text("utf-8")
    page = html.replace("/*style*/", style).replace("/*script*/", script)
    policy = {
        "default-src": "'none'", "script-src": _hash(script), "style-src": _hash(style),
        "connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip
    return page.encode(), "; ".join(f"{name} {value}" for name, value in policy.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
