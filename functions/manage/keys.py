"""The routes of API keys; for administrators."""

from __future__ import annotations

from common.errors import Forbidden, NotFound, ValidationFailed
from common.http.answers import KeyList, NewApiKey, RevokedKey
from common.http.message import Answer, Request
from common.http.operation import Operation
from common.http.router import Router
from common.keys.manage import KeyRequest, create_key, key_view, list_keys, revoke_key

TAG = "API keys"
NO_STORE = {"Cache-Control": "no-store"}  # a key is shown once, to the one who asked
router = Router("job-manage")


@router.route(
    "POST",
    "/api/keys",
    operation=Operation(
        summary="Make an API key; it is shown once",
        tag=TAG,
        body=KeyRequest,
        status=201,
        data=NewApiKey,
        errors=(Forbidden, ValidationFailed),
    ),
)
def create(request: Request) -> Answer:
    made, stored = create_key(request.services, request.caller, request.json())
    return Answer(status=201, data=key_view(stored) | {"key": made.text}, headers=NO_STORE)


@router.route(
    "GET",
    "/api/keys",
    operation=Operation(
        summary="All API keys, newest first", tag=TAG, data=KeyList, top={"total": int}, errors=(Forbidden,)
    ),
)
def listing(request: Request) -> Answer:
    keys = [key_view(key) for key in list_keys(request.services, request.caller)]
    return Answer(data={"keys": keys, "total": len(keys)}, top={"total": len(keys)})


@router.route(
    "DELETE",
    "/api/keys/{key_id}",
    operation=Operation(summary="Revoke an API key", tag=TAG, data=RevokedKey, errors=(Forbidden, NotFound)),
)
def revoke(request: Request) -> Answer:
    revoke_key(request.services, request.caller, request.arguments["key_id"])
    return Answer(data={"key_id": request.arguments["key_id"], "revoked": True})
