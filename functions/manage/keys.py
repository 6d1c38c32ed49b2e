"""The routes of API keys; for administrators."""

from __future__ import annotations

from common.http.message import Answer, Request
from common.http.router import Router
from common.keys.manage import create_key, key_view, list_keys, revoke_key

NO_STORE = {"Cache-Control": "no-store"}  # a key is shown once, to the one who asked


def add_routes(router: Router) -> None:
    router.route("POST", "/api/keys")(create)
    router.route("GET", "/api/keys")(listing)
    router.route("DELETE", "/api/keys/{key_id}")(revoke)


def create(request: Request) -> Answer:
    made, stored = create_key(request.services, request.caller, request.json())
    return Answer(status=201, data=key_view(stored) | {"key": made.text}, headers=NO_STORE)


def listing(request: Request) -> Answer:
    keys = [key_view(key) for key in list_keys(request.services, request.caller)]
    return Answer(data={"keys": keys, "total": len(keys)}, top={"total": len(keys)})


def revoke(request: Request) -> Answer:
    revoke_key(request.services, request.caller, request.arguments["key_id"])
    return Answer(data={"key_id": request.arguments["key_id"], "revoked": True})
