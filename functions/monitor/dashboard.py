"""The dashboard's page and its parts: files of this folder, with a policy that lets nothing else run."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from common.errors import NotFound
from common.http.message import Answer, Request
from common.http.router import Router
from common.settings import Settings

FOLDER = Path(__file__).parent / "dashboard"
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}

router = Router("monitor")


@router.route("GET", "/monitoring/events")
def page(request: Request) -> Answer:
    return _file(request, "index.html")


@router.route("GET", "/monitoring/assets/{path+}")
def asset(request: Request) -> Answer:
    return _file(request, request.arguments["path"])


def _file(request: Request, path: str) -> Answer:
    """Asked for again on every visit, answered with 304 as long as it is the same."""
    content = _files().get(path)
    if content is None:
        raise NotFound("The dashboard has no such part.")
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": content_security_policy(request.services.settings),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
    return Answer(
        content=content,
        media_type=MEDIA_TYPES[Path(path).suffix],
        etag=hashlib.sha256(content).hexdigest()[:16],
        headers=headers,
    )


@lru_cache(maxsize=1)
def _files() -> dict[str, bytes]:
    """Read once; only what is in this table can be asked for, whatever the path says."""
    found = (path for path in FOLDER.rglob("*") if path.suffix in MEDIA_TYPES)
    return {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in found}


def content_security_policy(settings: Settings) -> str:
    """Our own scripts and styles; pictures and uploads also from and to the object store."""
    store = settings.objects.public_endpoint_url or settings.objects.endpoint_url
    parts = urlsplit(store or f"https://{settings.objects.bucket}.s3.{settings.objects.region}.amazonaws.com")
    origin = f"{parts.scheme}://{parts.netloc}"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src 'self' {origin}; connect-src 'self' {origin}; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
